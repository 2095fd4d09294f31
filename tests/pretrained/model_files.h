// What the tests of models' files share: a folder that is removed afterwards, files made by hand, refusals looked into.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/wire/catalog.h"
#include "core/wire/result.h"

namespace atelier::pretrained::testing {

namespace fs = std::filesystem;

class FolderTest : public ::testing::Test {
 protected:
  FolderTest() {
    auto pattern = (fs::temp_directory_path() / "atelier-pretrained-XXXXXX").string();
    m_folder = ::mkdtemp(pattern.data());
  }
  ~FolderTest() override {
    std::error_code ignored;
    fs::remove_all(m_folder, ignored);
  }

  fs::path write(const fs::path& name, std::string_view content) const {
    fs::create_directories((m_folder / name).parent_path());
    std::ofstream(m_folder / name, std::ios::binary | std::ios::trunc)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
    return m_folder / name;
  }

  fs::path m_folder;
};

inline std::string contentOf(const fs::path& file) {
  std::ifstream input(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(input), {}};
}

// A safetensors file's bytes; `length` in place of the header's own.
inline std::string safetensors(const std::string& header, const std::string& data, std::uint64_t length) {
  std::string all;
  for (int i = 0; i < 8; ++i) all += static_cast<char>(length >> (8 * i) & 0xFF);
  return all + header + data;
}
inline std::string safetensors(const std::string& header, const std::string& data) {
  return safetensors(header, data, header.size());
}

inline std::string argument(const wire::Error& error, const std::string& name) {
  for (const auto& [key, value] : error.messages.front().args)
    if (key == name) return value;
  return "";
}

// The values that a text mentions as {name}.
inline std::vector<std::string> mentioned(const std::string& text) {
  std::vector<std::string> names;
  for (auto at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1))
    names.push_back(text.substr(at + 1, text.find('}', at) - at - 1));
  return names;
}

// The refusal's id; both languages must have a text for it, and every value that the text mentions must be there.
template <class T>
std::string refusedAs(const wire::Result<T>& result) {
  if (result.ok()) return "";
  const auto& message = result.error().messages.front();
  for (const char* language : {"en", "fr"}) {
    const auto texts = wire::Catalog::builtIn(language);
    EXPECT_TRUE(texts.has(message.id)) << message.id;
    for (const auto& name : mentioned(texts.text(message.id)))
      EXPECT_TRUE(std::any_of(message.args.begin(), message.args.end(), [&](const auto& arg) { return arg.first == name; }))
          << message.id << " lacks " << name;
  }
  return message.id;
}

}  // namespace atelier::pretrained::testing
