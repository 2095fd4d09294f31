// A safetensors file, memory-mapped: 8 bytes of header length, a JSON header, then the tensors' bytes. Every header is
// distrusted: what is malformed, out of range, overlapping, of another length than its shape says, or of an unknown dtype is
// refused with its reason, and nothing is allocated before it was checked.
// A file that shrinks while it is mapped is the one thing that can't be defended against. Immutable; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/wire/result.h"

namespace atelier::pretrained {

struct StoredTensor {
  std::string name;
  std::string dtype;                 // "F32", "BF16", "I64", … as the format writes them
  std::vector<std::int64_t> shape;   // empty: a scalar
  std::uint64_t begin = 0, end = 0;  // bytes, from the end of the header; may be unaligned
};

class SafetensorsFile {
 public:
  // Fails with weights.missing {file, why}, weights.damaged {file, why, tensor} (tensor: "" for the header's own).
  static wire::Result<std::shared_ptr<const SafetensorsFile>> open(const std::filesystem::path& file);
  ~SafetensorsFile();
  SafetensorsFile(const SafetensorsFile&) = delete;
  SafetensorsFile& operator=(const SafetensorsFile&) = delete;

  // In the order of their bytes.
  const std::vector<StoredTensor>& tensors() const { return m_tensors; }
  const StoredTensor* find(const std::string& name) const;
  std::span<const std::byte> bytes(const StoredTensor& tensor) const;
  // All tensors' bytes (those of a tensor begin at its `begin`) in a mapping of its own: who writes there gets pages of its
  // own, and changes neither the file nor what others see. Null where the system refuses it. It outlives the file object.
  std::shared_ptr<std::byte> ownPages() const;
  const std::map<std::string, std::string>& metadata() const { return m_metadata; }
  std::uint64_t fileBytes() const { return m_size; }

 private:
  SafetensorsFile() = default;

  const std::byte* m_data = nullptr;
  std::uint64_t m_size = 0, m_start = 0;  // m_start: where the tensors' bytes begin
  int m_descriptor = -1;
  std::vector<StoredTensor> m_tensors;
  std::map<std::string, std::size_t> m_index;
  std::map<std::string, std::string> m_metadata;
};

// Checks a header's text against the number of bytes that follow it. Fails as open() does, with `file` in the message.
wire::Result<std::vector<StoredTensor>> readSafetensorsHeader(std::string_view header, std::uint64_t dataBytes,
                                                              const std::string& file,
                                                              std::map<std::string, std::string>* metadata = nullptr);

}  // namespace atelier::pretrained
