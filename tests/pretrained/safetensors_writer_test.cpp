#include "core/pretrained/safetensors_writer.h"

#include <cstring>

#include "core/pretrained/safetensors.h"
#include "model_files.h"

namespace atelier::pretrained {
namespace {

class SafetensorsWriter : public testing::FolderTest {};

template <class T>
std::span<const std::byte> bytesOf(const std::vector<T>& values) {
  return std::as_bytes(std::span<const T>(values));
}

}  // namespace

TEST_F(SafetensorsWriter, WhatItWritesIsReadBack) {
  const std::vector<float> weights{1.5F, -2.25F, 0, 4, 5, 6};
  const std::vector<std::int64_t> count{41};
  const std::vector<std::uint8_t> mask{1, 0, 1};
  const auto path = m_folder / "weights.safetensors";
  ASSERT_TRUE(writeSafetensors(path,
                               {{"mask", "U8", {3}, bytesOf(mask)},
                                {"0.weight", "F32", {2, 3}, bytesOf(weights)},
                                {"none", "F32", {0, 3}},
                                {"count \"é\"", "I64", {}, bytesOf(count)}},
                               {{"format", "pt"}})
                  .ok());
  const auto opened = SafetensorsFile::open(path);
  ASSERT_TRUE(opened.ok());
  const auto& file = **opened;
  EXPECT_EQ(file.tensors().size(), 4U);
  EXPECT_EQ(file.metadata(), (std::map<std::string, std::string>{{"format", "pt"}}));
  const auto* weight = file.find("0.weight");
  ASSERT_NE(weight, nullptr);
  EXPECT_EQ(weight->dtype, "F32");
  EXPECT_EQ(weight->shape, (std::vector<std::int64_t>{2, 3}));
  ASSERT_EQ(file.bytes(*weight).size(), 24U);
  EXPECT_EQ(std::memcmp(file.bytes(*weight).data(), weights.data(), 24), 0);
  const auto* scalar = file.find("count \"é\"");
  ASSERT_NE(scalar, nullptr);
  EXPECT_TRUE(scalar->shape.empty());
  EXPECT_EQ(std::memcmp(file.bytes(*scalar).data(), count.data(), 8), 0);
  ASSERT_NE(file.find("none"), nullptr);
  EXPECT_TRUE(file.bytes(*file.find("none")).empty());
}

TEST_F(SafetensorsWriter, TheDataBeginAtAMultipleOfEight) {
  const std::vector<double> value{0.1};
  for (const char* name : {"a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh"}) {
    const auto path = m_folder / name;
    ASSERT_TRUE(writeSafetensors(path, {{name, "F64", {1}, bytesOf(value)}}).ok());
    EXPECT_EQ((std::filesystem::file_size(path) - 8) % 8, 0U) << name;
    EXPECT_TRUE(SafetensorsFile::open(path).ok()) << name;
  }
}

TEST_F(SafetensorsWriter, AFileOfNoTensorsIsOneToo) {
  const auto path = m_folder / "none.safetensors";
  ASSERT_TRUE(writeSafetensors(path, {}).ok());
  const auto opened = SafetensorsFile::open(path);
  ASSERT_TRUE(opened.ok());
  EXPECT_TRUE((*opened)->tensors().empty());
}

}  // namespace atelier::pretrained
