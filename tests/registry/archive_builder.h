// Archives made by hand, byte by byte, so that they can say what no exporter would: a plain tar (ustar, not compressed) with
// the list of its files first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/registry/archive_reader.h"

namespace atelier::registry::testing {

constexpr std::size_t kTarBlock = 512;

struct TarEntry {
  std::string name, content;
  char type = '0';     // '0' file, '1' hard link, '2' symbolic link, '3' device, '5' folder, '6' pipe
  std::string link{};  // of a link
};

// The header's checksum, over the header with spaces in its place.
inline void fixChecksum(std::string& tar, std::size_t at) {
  std::memset(tar.data() + at + 148, ' ', 8);
  unsigned sum = 0;
  for (std::size_t i = 0; i < kTarBlock; ++i) sum += static_cast<unsigned char>(tar[at + i]);
  std::snprintf(tar.data() + at + 148, 8, "%06o", sum);
}

inline std::string tarEntry(const TarEntry& entry) {
  std::string block(kTarBlock, '\0');
  const auto put = [&block](std::size_t at, std::size_t size, const std::string& text) {
    std::memcpy(block.data() + at, text.data(), std::min(size, text.size()));
  };
  char size[16];
  std::snprintf(size, sizeof size, "%011llo", static_cast<unsigned long long>(entry.content.size()));
  put(0, 100, entry.name);
  put(100, 8, "0000644");
  put(108, 8, "0000000");
  put(116, 8, "0000000");
  put(124, 12, size);
  put(136, 12, "14000000000");
  put(156, 1, std::string(1, entry.type));
  put(157, 100, entry.link);
  put(257, 6, std::string("ustar\0", 6));
  put(263, 2, "00");
  fixChecksum(block, 0);
  block += entry.content;
  block.resize((block.size() + kTarBlock - 1) / kTarBlock * kTarBlock, '\0');
  return block;
}

inline std::string tarOf(const std::vector<TarEntry>& entries) {
  std::string tar;
  for (const auto& entry : entries) tar += tarEntry(entry);
  return tar + std::string(2 * kTarBlock, '\0');
}

inline nlohmann::json listOf(const std::vector<TarEntry>& files) {
  auto list = nlohmann::json::object();
  for (const auto& file : files) list[file.name] = {{"bytes", file.content.size()}, {"crc32", updatedCrc(0, file.content)}};
  return {{"format", kArchiveFormat}, {"version", kArchiveVersion}, {"files", list}};
}

// The list names all the files, whatever they are.
inline std::string archiveOf(const std::vector<TarEntry>& files) {
  std::vector<TarEntry> all{{kArchiveManifest, listOf(files).dump()}};
  all.insert(all.end(), files.begin(), files.end());
  return tarOf(all);
}

inline const std::string kHandmadeId = "20261130-104512-3f9a1c";

inline std::vector<TarEntry> handmadeRun() {
  const auto folder = "runs/" + kHandmadeId + "/";
  return {{folder + "spec.json", R"({"model":"mlp","batch":32})"},
          {folder + "environment.json", R"({"cpu":"elsewhere"})"},
          {folder + "events.jsonl", "{\"v\":1,\"kind\":\"phase\",\"rank\":0,\"t\":0,\"phase\":\"warmup\"}\n"},
          {folder + "summary.json", R"({"status":"done","steps":7})"}};
}

}  // namespace atelier::registry::testing
