#include "safetensors_writer.h"

#include <nlohmann/json.hpp>

#include "whole_file.h"

namespace atelier::pretrained {

wire::Status writeSafetensors(const std::filesystem::path& file, const std::vector<TensorToStore>& tensors,
                              const std::map<std::string, std::string>& metadata) {
  auto header = nlohmann::json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::uint64_t at = 0;
  for (const auto& tensor : tensors) {
    const auto end = at + tensor.bytes.size();
    header[tensor.name] = {{"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {at, end}}};
    at = end;
  }
  auto text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  char length[8];  // little-endian
  for (std::size_t i = 0; i < sizeof length; ++i) length[i] = static_cast<char>(text.size() >> (8 * i) & 0xFF);
  WholeFile whole(file);
  whole.write(length, sizeof length);
  whole.write(text.data(), text.size());
  for (const auto& tensor : tensors) whole.write(tensor.bytes.data(), tensor.bytes.size());
  return whole.commit();
}

}  // namespace atelier::pretrained
