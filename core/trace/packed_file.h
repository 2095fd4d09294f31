// Files of traces, packed with gzip or plain. One thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/wire/result.h"

struct gzFile_s;

namespace atelier::trace {

// A file that is written beside its place and renamed there when it is whole, so that nobody ever sees half of one.
class PackedWriter {
 public:
  PackedWriter(const std::filesystem::path& file, bool pack);
  ~PackedWriter();  // removes what was not committed
  PackedWriter(const PackedWriter&) = delete;
  PackedWriter& operator=(const PackedWriter&) = delete;

  // False once something has failed; commit() says what.
  bool write(std::string_view piece);
  // Once, at the end. Fails with trace.write {file, reason}.
  wire::Status commit();

 private:
  void fail(int error);
  void closeFile();

  std::filesystem::path m_file, m_temporary;
  gzFile_s* m_packed = nullptr;
  int m_descriptor = -1;
  int m_error = 0;
};

// Reads what is packed or plain, by what stands at its beginning.
class PackedReader {
 public:
  enum class End { None, TooLarge, Cancelled, Damaged };

  // Fails with trace.missing {file, reason}. More than `most` bytes, unpacked, end the reading; `progress` as of
  // readChromeTrace.
  static wire::Result<std::unique_ptr<PackedReader>> open(const std::filesystem::path& file, std::int64_t most,
                                                          const std::function<bool(double)>& progress);
  ~PackedReader();
  PackedReader(const PackedReader&) = delete;
  PackedReader& operator=(const PackedReader&) = delete;

  // The next piece; empty at the end, and when it was cut short. Valid until the next call.
  std::string_view next();
  End end() const { return m_end; }                       // why it was cut short
  const std::string& reason() const { return m_reason; }  // zlib's words for what is damaged

 private:
  PackedReader() = default;

  gzFile_s* m_packed = nullptr;
  std::function<bool(double)> m_progress;
  std::int64_t m_size = 0, m_most = 0, m_read = 0;
  std::string m_buffer, m_reason;
  End m_end = End::None;
  bool m_over = false;
};

}  // namespace atelier::trace
