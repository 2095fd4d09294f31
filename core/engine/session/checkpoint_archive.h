// The archive that a checkpoint is: records in a zip that PyTorch's own reader and writer handle. Internal to the checkpoint's
// sources. One thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include <caffe2/serialize/inline_container.h>

#include "core/wire/result.h"

namespace atelier::engine {

inline constexpr const char* kPickleRecord = "data.pkl";
inline constexpr const char* kIndexRecord = "atelier/index.json";
inline constexpr const char* kChecksumRecord = "atelier/checksum";

std::string dataRecord(std::int64_t number);
std::uint32_t checksum(const void* data, std::size_t bytes);
// What stands in kChecksumRecord.
std::string checksumText(const std::string& pickle, const std::string& index);

// Records of a file; none is larger than it, as none is compressed. Functions throw what LibTorch throws on damage.
class CheckpointRecords {
 public:
  static wire::Result<std::unique_ptr<CheckpointRecords>> open(const std::filesystem::path& file);

  bool has(const std::string& name) { return m_reader.hasRecord(name); }
  std::string text(const std::string& name);
  // False when the record has another size.
  bool read(const std::string& name, void* into, std::size_t bytes);
  std::uint64_t fileBytes() const { return m_size; }

 private:
  CheckpointRecords(const std::filesystem::path& file, std::uint64_t size) : m_size(size), m_reader(file.string()) {}

  std::uint64_t m_size;
  caffe2::serialize::PyTorchStreamReader m_reader;
};

}  // namespace atelier::engine
