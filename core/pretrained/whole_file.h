// WholeFile: a file that is there whole or not at all: written beside its place, synced, renamed into it. Until commit() what
// was there before stays. A full disk is no exception and no death: the first error is kept, and commit() tells it.
// One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "core/wire/result.h"

namespace atelier::pretrained {

class WholeFile {
 public:
  explicit WholeFile(std::filesystem::path file);
  // Without commit(): nothing is left of it.
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  void write(const void* data, std::size_t bytes);
  std::uint64_t size() const { return m_size; }
  // Fails with file.disk_full {file, reason} or file.not_written {file, reason}.
  wire::Status commit();

 private:
  std::filesystem::path m_file, m_beside;
  int m_descriptor = -1;
  int m_error = 0;  // errno of the first failure
  std::uint64_t m_size = 0;
};

}  // namespace atelier::pretrained
