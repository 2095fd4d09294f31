#include "core/pretrained/safetensors.h"

#include <sys/stat.h>

#include <cstring>
#include <vector>

#include "model_files.h"

namespace atelier::pretrained {
namespace {

namespace fs = std::filesystem;

using testing::argument;
using testing::refusedAs;
using testing::safetensors;

class Safetensors : public testing::FolderTest {
 protected:
  auto open(const std::string& content) const { return SafetensorsFile::open(write("model.safetensors", content)); }
};

auto header(const std::string& text, std::uint64_t dataBytes) {
  return readSafetensorsHeader(text, dataBytes, "model.safetensors");
}

std::string entry(const std::string& dtype, const std::string& shape, std::uint64_t begin, std::uint64_t end) {
  return "{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":[" + std::to_string(begin) + "," +
         std::to_string(end) + "]}";
}

std::string one(const std::string& dtype, const std::string& shape, std::uint64_t begin, std::uint64_t end) {
  return "{\"a\":" + entry(dtype, shape, begin, end) + "}";
}

}  // namespace

TEST_F(Safetensors, GivesNamesShapesMetadataAndBytesThatNeedNotBeAligned) {
  const float values[2] = {1.5F, -2.25F};
  std::string data = "x";
  data.append(reinterpret_cast<const char*>(values), sizeof values);
  const auto text = R"({"late":)" + entry("F32", "[2,1]", 1, 9) + R"(,"early":)" + entry("U8", "[1]", 0, 1) +
                    R"(,"__metadata__":{"format":"pt"}}   )";
  const auto opened = open(safetensors(text, data));
  ASSERT_TRUE(opened.ok());
  const auto& file = **opened;
  ASSERT_EQ(file.tensors().size(), 2U);
  EXPECT_EQ(file.tensors()[0].name, "early");
  EXPECT_EQ(file.tensors()[1].name, "late");
  EXPECT_EQ(file.fileBytes(), 8 + text.size() + 9);
  EXPECT_EQ(file.metadata(), (std::map<std::string, std::string>{{"format", "pt"}}));
  const auto* late = file.find("late");
  ASSERT_NE(late, nullptr);
  EXPECT_EQ(late->dtype, "F32");
  EXPECT_EQ(late->shape, (std::vector<std::int64_t>{2, 1}));
  float read[2] = {};
  ASSERT_EQ(file.bytes(*late).size(), sizeof read);
  std::memcpy(read, file.bytes(*late).data(), sizeof read);
  EXPECT_EQ(read[0], 1.5F);
  EXPECT_EQ(read[1], -2.25F);
  EXPECT_EQ(file.bytes(*file.find("early"))[0], std::byte{'x'});
  EXPECT_EQ(file.find("__metadata__"), nullptr);
  EXPECT_EQ(file.find("nobody"), nullptr);
}

TEST_F(Safetensors, ScalarsAndEmptyTensorsAreTensors) {
  const auto text = R"({"scalar":)" + entry("F32", "[]", 0, 4) + R"(,"none":)" + entry("F32", "[0,3]", 4, 4) + R"(,"last":)" +
                    entry("I64", "[1]", 4, 12) + "}";
  const auto opened = open(safetensors(text, std::string(12, '\0')));
  ASSERT_TRUE(opened.ok());
  EXPECT_TRUE((*opened)->find("scalar")->shape.empty());
  EXPECT_EQ((*opened)->bytes(*(*opened)->find("none")).size(), 0U);
  EXPECT_EQ((*opened)->tensors()[1].name, "none");
  const auto nothing = open(safetensors("{}", ""));
  ASSERT_TRUE(nothing.ok());
  EXPECT_TRUE((*nothing)->tensors().empty());
}

TEST_F(Safetensors, KnowsTheSizeOfEveryDtype) {
  const std::vector<std::pair<std::string, std::uint64_t>> bits{
      {"BOOL", 8},        {"U8", 8},   {"I8", 8},          {"F8_E4M3", 8}, {"F8_E5M2", 8}, {"F8_E8M0", 8},
      {"F8_E4M3FNUZ", 8}, {"U16", 16}, {"F8_E5M2FNUZ", 8}, {"I16", 16},    {"F16", 16},    {"BF16", 16},
      {"U32", 32},        {"I32", 32}, {"F32", 32},        {"U64", 64},    {"I64", 64},    {"F64", 64},
      {"C64", 64},        {"F4", 4},   {"F6_E2M3", 6},     {"F6_E3M2", 6}};
  for (const auto& [dtype, size] : bits) {
    EXPECT_TRUE(header(one(dtype, "[8]", 0, size), size).ok()) << dtype;
    EXPECT_FALSE(header(one(dtype, "[8]", 0, size + 1), size + 1).ok()) << dtype;
  }
  EXPECT_EQ(refusedAs(header(one("F4", "[3]", 0, 1), 1)), "weights.damaged") << "a byte and a half";
}

TEST_F(Safetensors, RefusesAHeaderThatLiesAndSaysWhereAndWhy) {
  const std::string quarter = std::to_string(1ULL << 62);
  struct Case {
    std::string text;
    std::uint64_t bytes;
    std::string tensor, why;
  };
  const std::vector<Case> cases{
      {one("F32", "[2]", 0, 8), 7, "", "data: 7 B ≠ 8 B"},
      {one("F32", "[2]", 0, 8), 9, "", "data: 9 B ≠ 8 B"},
      {one("F32", "[2]", 0, 4), 4, "a", "data_offsets: 4 B ≠ 8 B"},
      {one("F32", "[2]", 8, 0), 8, "a", "data_offsets"},
      {one("F32", "[2]", 4, 12), 12, "a", "data_offsets: 4 B ≠ 0 B"},
      {one("F99", "[2]", 0, 8), 8, "a", "dtype F99"},
      {one("f32", "[2]", 0, 8), 8, "a", "dtype f32"},
      {one("F32", "[-2]", 0, 8), 8, "a", "shape [-2]"},
      {one("F32", "[2.0]", 0, 8), 8, "a", "shape [2.0]"},
      {one("F32", "[\"2\"]", 0, 8), 8, "a", "shape [\"2\"]"},
      {one("F32", "2", 0, 8), 8, "a", "shape"},
      {one("F32", "[18446744073709551615]", 0, 8), 8, "a", "shape [18446744073709551615]"},
      {one("U8", "[" + quarter + ",4]", 0, 0), 0, "a", "shape [" + quarter + ",4]"},
      {one("U8", "[0," + quarter + ",4]", 0, 0), 0, "a", "shape [0," + quarter + ",4]"},
      {R"({"a":)" + entry("U8", "[4]", 0, 4) + R"(,"b":)" + entry("U8", "[4]", 2, 6) + "}", 6, "b", "data_offsets: 2 B ≠ 4 B"},
      {R"({"a":)" + entry("U8", "[4]", 0, 4) + R"(,"b":)" + entry("U8", "[4]", 0, 4) + "}", 4, "b", "data_offsets: 0 B ≠ 4 B"},
      {R"({"a":)" + entry("U8", "[1]", 0, 1) + R"(,"b":)" + entry("U8", "[1]", 2, 3) + "}", 3, "b", "data_offsets: 2 B ≠ 1 B"},
      {R"({"a":)" + entry("U8", "[1]", 0, 1) + R"(,"a":)" + entry("U8", "[1]", 0, 1) + "}", 1, "", "JSON: a"},
      {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0]}})", 1, "a", "data_offsets"},
      {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[-1,0]}})", 1, "a", "data_offsets"},
      {R"({"a":{"dtype":"U8","shape":[1]}})", 1, "a", "data_offsets"},
      {R"({"a":{"dtype":"U8","data_offsets":[0,1]}})", 1, "a", "shape"},
      {R"({"a":{"shape":[1],"data_offsets":[0,1]}})", 1, "a", "dtype"},
      {R"({"a":[]})", 0, "a", "dtype"},
      {R"({"__metadata__":[]})", 0, "", "__metadata__"},
      {R"({"__metadata__":{"epoch":3}})", 0, "", "__metadata__: epoch"},
      {"[]", 0, "", "JSON"},
      {" {}", 0, "", "JSON"},
      {"\xEF\xBB\xBF{}", 0, "", "JSON"},
      {"{", 0, "", "JSON"},
      {"{}x", 0, "", "JSON"},
      {std::string("{}\0", 3), 0, "", "JSON"},
      {"", 0, "", "JSON"},
      {"{\"\xFF\":" + entry("U8", "[1]", 0, 1) + "}", 1, "", "JSON"},
      {R"({"\ud800":)" + entry("U8", "[1]", 0, 1) + "}", 1, "", "JSON"},
      {R"({"a":)" + std::string(200, '[') + std::string(200, ']') + "}", 0, "", "JSON"}};
  for (const auto& [text, bytes, tensor, why] : cases) {
    const auto read = header(text, bytes);
    ASSERT_EQ(refusedAs(read), "weights.damaged") << text;
    EXPECT_EQ(read.error().code, wire::ExitCode::Usage);
    EXPECT_EQ(argument(read.error(), "file"), "model.safetensors");
    EXPECT_EQ(argument(read.error(), "tensor"), tensor) << text;
    EXPECT_EQ(argument(read.error(), "why"), tensor.empty() ? why : tensor + ": " + why) << text;
  }
}

TEST_F(Safetensors, AMessageQuotesForeignNamesHarmlessly) {
  const auto read = header("{\"\\u001b[2J" + std::string(5000, 'n') + "\":" + entry("F99", "[1]", 0, 1) + "}", 1);
  ASSERT_FALSE(read.ok());
  const auto why = argument(read.error(), "why");
  EXPECT_EQ(why.find('\x1b'), std::string::npos);
  EXPECT_EQ(why.substr(0, 6), "?[2Jnn");
  EXPECT_LT(why.size(), 400U);
}

TEST_F(Safetensors, RefusesAFileWhoseHeaderDoesNotFit) {
  const auto text = one("F32", "[2]", 0, 8);
  const std::string data(8, '\0');
  ASSERT_TRUE(open(safetensors(text, data)).ok());
  EXPECT_EQ(argument(open("").error(), "why"), "header: 0 B");
  EXPECT_EQ(argument(open(std::string(7, '\0')).error(), "why"), "header: 7 B");
  EXPECT_EQ(refusedAs(open(std::string(8, '\0'))), "weights.damaged");
  EXPECT_EQ(argument(open(safetensors(text, data, 1ULL << 62)).error(), "why"), "header: 4611686018427387904 B");
  EXPECT_EQ(argument(open(safetensors(text, data, ~0ULL)).error(), "why"), "header: 18446744073709551615 B");
  EXPECT_EQ(refusedAs(open(safetensors(text, data, text.size() + data.size() + 1))), "weights.damaged");
  EXPECT_EQ(argument(open(safetensors(text, data + "more")).error(), "why"), "data: 12 B ≠ 8 B");
  EXPECT_EQ(argument(open(safetensors(text, "short")).error(), "why"), "data: 5 B ≠ 8 B");
}

TEST_F(Safetensors, RefusesAHeaderAboveTheFormatsLimitWithoutReadingIt) {
  const auto file = write("model.safetensors", safetensors("{", "", 100'000'001));
  fs::resize_file(file, 200'000'000);  // sparse: no byte of it is written
  EXPECT_EQ(argument(SafetensorsFile::open(file).error(), "why"), "header: 100000001 B");
}

TEST_F(Safetensors, WhatIsNoFileIsToldApartFromWhatIsDamaged) {
  EXPECT_EQ(refusedAs(SafetensorsFile::open(m_folder / "nothing.safetensors")), "weights.missing");
  EXPECT_EQ(refusedAs(SafetensorsFile::open(m_folder)), "weights.missing");
  ASSERT_EQ(::mkfifo((m_folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusedAs(SafetensorsFile::open(m_folder / "pipe")), "weights.missing") << "a pipe must not hang the reader";
}

TEST_F(Safetensors, OwnPagesAreWrittenByThemselvesAndOutliveTheFile) {
  const auto file = write("model.safetensors", safetensors(one("F32", "[2]", 0, 8), std::string(8, '\0')));
  std::shared_ptr<std::byte> first, second;
  {
    const auto opened = SafetensorsFile::open(file);
    ASSERT_TRUE(opened.ok());
    first = (*opened)->ownPages();
    second = (*opened)->ownPages();
    ASSERT_TRUE(first && second);
    first.get()[7] = std::byte{42};
    EXPECT_EQ((*opened)->bytes((*opened)->tensors().front())[7], std::byte{0});
  }
  EXPECT_EQ(first.get()[7], std::byte{42});
  EXPECT_EQ(second.get()[7], std::byte{0});
  const auto again = SafetensorsFile::open(file);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ((*again)->bytes((*again)->tensors().front())[7], std::byte{0});
}

TEST_F(Safetensors, ReadsTheInstalledModel) {
  const fs::path file = fs::path(ATELIER_MODELS_DIR) / "minilm" / "model.safetensors";
  if (!fs::exists(file)) GTEST_SKIP() << file << " is not installed";
  const auto opened = SafetensorsFile::open(file);
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ((*opened)->tensors().size(), 104U);
  const auto* words = (*opened)->find("embeddings.word_embeddings.weight");
  ASSERT_NE(words, nullptr);
  EXPECT_EQ(words->shape, (std::vector<std::int64_t>{30522, 384}));
  EXPECT_EQ((*opened)->bytes(*words).size(), 30522U * 384U * 4U);
  EXPECT_EQ((*opened)->metadata().at("format"), "pt");
}

}  // namespace atelier::pretrained
