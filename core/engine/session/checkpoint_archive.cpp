#include "checkpoint_archive.h"

#include <algorithm>
#include <exception>
#include <fstream>
#include <string_view>
#include <utility>

#include <zlib.h>

namespace atelier::engine {
namespace {

namespace fs = std::filesystem;
using wire::Error;
using wire::ExitCode;

// A zip file begins with its first record and ends with a directory, behind which is a comment of 64 KiB at most.
constexpr std::string_view kFirstRecord{"PK\x03\x04"}, kDirectoryEnd{"PK\x05\x06"};
constexpr std::uint64_t kLongestTail = 22 + 65535;

std::string bytesOf(std::ifstream& input, std::uint64_t begin, std::uint64_t count) {
  std::string bytes(static_cast<std::size_t>(count), '\0');
  input.seekg(static_cast<std::streamoff>(begin));
  input.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<std::size_t>(input.gcount()));
  return bytes;
}

// "": it has a zip file's ends; else the id of what it is instead.
std::string lookAtEnds(const fs::path& file, std::uint64_t size) {
  std::ifstream input(file, std::ios::binary);
  if (!input) return "checkpoint.not_there";
  if (size == 0) return "checkpoint.cut_short";
  const auto first = bytesOf(input, 0, std::min<std::uint64_t>(size, kFirstRecord.size()));
  if (!kFirstRecord.starts_with(first)) return "checkpoint.foreign";
  const auto tail = std::min(size, kLongestTail);
  const bool whole = bytesOf(input, size - tail, tail).rfind(kDirectoryEnd) != std::string::npos;
  return whole ? "" : "checkpoint.cut_short";
}

Error refusal(const std::string& id, const fs::path& file) {
  return {ExitCode::Usage, wire::Message{id, {{"file", file.string()}}}};
}

}  // namespace

std::string dataRecord(std::int64_t number) {
  return "data/" + std::to_string(number);
}

std::uint32_t checksum(const void* data, std::size_t bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, static_cast<const Bytef*>(data), bytes));
}

std::string checksumText(const std::string& pickle, const std::string& index) {
  return "crc32 " + std::to_string(checksum(pickle.data(), pickle.size())) + " " +
         std::to_string(checksum(index.data(), index.size()));
}

wire::Result<std::unique_ptr<CheckpointRecords>> CheckpointRecords::open(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return refusal("checkpoint.not_there", file);  // nor a pipe, which would hang
  const auto size = static_cast<std::uint64_t>(fs::file_size(file, error));
  if (error) return refusal("checkpoint.not_there", file);
  if (const auto id = lookAtEnds(file, size); !id.empty()) return refusal(id, file);
  try {
    std::unique_ptr<CheckpointRecords> records(new CheckpointRecords(file, size));
    if (!records->has(kIndexRecord) || !records->has(kChecksumRecord)) return refusal("checkpoint.foreign", file);
    return wire::Result<std::unique_ptr<CheckpointRecords>>(std::move(records));
  } catch (const std::exception&) {  // a zip of another kind, or one with a damaged directory
    return refusal("checkpoint.foreign", file);
  }
}

std::string CheckpointRecords::text(const std::string& name) {
  const auto size = m_reader.getRecordSize(name);
  TORCH_CHECK(size <= m_size, name, " is larger than its file");
  std::string text(size, '\0');
  if (size > 0) m_reader.getRecord(name, text.data(), size);
  return text;
}

bool CheckpointRecords::read(const std::string& name, void* into, std::size_t bytes) {
  if (m_reader.getRecordSize(name) != bytes) return false;
  if (bytes > 0) m_reader.getRecord(name, into, bytes);
  return true;
}

}  // namespace atelier::engine
