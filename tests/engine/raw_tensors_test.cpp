// Folders of .safetensors files as a data set.
#include <gtest/gtest.h>

#include "core/engine/data/augment.h"
#include "core/engine/data/data_error.h"
#include "text_fixture.h"

namespace atelier::engine {
namespace {

using namespace fixture;
using nlohmann::json;

struct Part {
  std::string name, dtype;
  std::vector<std::int64_t> shape;
  std::string bytes;
};

std::string fileOf(const std::vector<Part>& parts) {
  json header;
  std::string data;
  for (const auto& part : parts) {
    header[part.name] = {{"dtype", part.dtype}, {"shape", part.shape}, {"data_offsets", {data.size(), data.size() + part.bytes.size()}}};
    data += part.bytes;
  }
  const auto text = header.dump();
  std::string file(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) file[i] = static_cast<char>(text.size() >> (8 * i) & 255U);
  return file + text + data;
}

template <class T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// `count` samples of 1 × 2 × 2 bytes, all of the value 10 × their number.
Part images(std::int64_t count) {
  Part part{"input", "U8", {count, 1, 2, 2}, ""};
  for (std::int64_t i = 0; i < 4 * count; ++i) part.bytes += static_cast<char>(i / 4 * 10);
  return part;
}
Part labels(const std::vector<std::int64_t>& values) {
  return {"target", "I64", {static_cast<std::int64_t>(values.size())}, raw(values)};
}

wire::Result<std::shared_ptr<const Dataset>> load(const TextFolder& folder, const char* augment = "none") {
  const auto spec = specOf({{"data_dir", folder.path().string()}, {"augment", augment}});
  return dataUnit("raw-tensors").load({0, spec});
}

std::string refusal(const wire::Result<std::shared_ptr<const Dataset>>& loaded) {
  return loaded.ok() ? "" : loaded.error().messages.front().id;
}

}  // namespace

TEST(RawTensors, BytesAreNormalisedAndClassesCounted) {
  const TextFolder folder;
  folder.write("a.safetensors", fileOf({images(3), labels({0, 4, 1})}));
  folder.write("b.safetensors", fileOf({images(2), {"target", "U8", {2}, std::string("\2\3", 2)}}));
  folder.write("test.safetensors", fileOf({images(1), {"target", "I32", {1}, raw<std::int32_t>({2})}}));
  folder.write("notes.txt", "not a tensor");
  const auto loaded = load(folder, "standard");
  ASSERT_TRUE(loaded.ok()) << refusal(loaded);
  const auto& data = **loaded;
  EXPECT_EQ(data.shape.classes, 5);
  EXPECT_EQ(data.shape.channels, 1);
  EXPECT_EQ(data.shape.height, 2);
  EXPECT_EQ(data.count(Split::Train), 5);
  EXPECT_EQ(data.count(Split::Test), 1);
  const std::int64_t indices[] = {2, 4};
  const auto batch = data.batch(Split::Train, indices, 2);
  EXPECT_EQ(batch.target[0].item<std::int64_t>(), 1);
  EXPECT_EQ(batch.target[1].item<std::int64_t>(), 3);
  EXPECT_NEAR(batch.input[0][0][1][1].item<float>(), (20.0F / 255 - 0.5F) / 0.25F, 1e-5F);
  EXPECT_NEAR(batch.input[1][0][0][1].item<float>(), (10.0F / 255 - 0.5F) / 0.25F, 1e-5F);
  for (const std::int64_t bad : {std::int64_t{5}, std::int64_t{-1}}) EXPECT_THROW(data.batch(Split::Train, &bad, 1), c10::Error);
}

TEST(RawTensors, FloatsAreGivenAsTheyAreAndEveryTenthIsTestedOn) {
  const TextFolder folder;
  std::vector<float> values;
  std::vector<std::int64_t> classes;
  for (int i = 0; i < 20; ++i) {
    values.push_back(0.25F * static_cast<float>(i));
    classes.push_back(i % 2);
  }
  folder.write("all.safetensors", fileOf({{"input", "F32", {20, 1, 1, 1}, raw(values)}, labels(classes)}));
  const auto loaded = load(folder);
  ASSERT_TRUE(loaded.ok()) << refusal(loaded);
  EXPECT_EQ((*loaded)->count(Split::Train), 18);
  EXPECT_EQ((*loaded)->count(Split::Test), 2);
  const std::int64_t last = 1, first = 9;
  EXPECT_EQ((*loaded)->batch(Split::Test, &last, 1).input.item<float>(), 0.25F * 19);
  EXPECT_EQ((*loaded)->batch(Split::Train, &first, 1).input.item<float>(), 0.25F * 10);
  EXPECT_EQ(refusal(load(folder, "flip")), "data.raw_augment");
  const Augmentation flip{0, false, true, false, false};  // as a race's second variant asks, of data that the first has loaded
  EXPECT_THROW((*loaded)->batch({Split::Train, &first, 1, 0, &flip}), DataError);
}

TEST(RawTensors, WhatDoesNotFitIsNamed) {
  const auto refused = [](const std::vector<std::string>& files) {
    const TextFolder folder;
    for (const auto& file : files) folder.write(std::to_string(&file - files.data()) + ".safetensors", file);
    return refusal(load(folder));
  };
  EXPECT_EQ(refused({}), "data.raw_none");
  EXPECT_EQ(refused({"not safetensors"}), "weights.damaged");
  EXPECT_EQ(refused({fileOf({images(2)})}), "data.raw_names");
  EXPECT_EQ(refused({fileOf({images(2), labels({0})})}), "data.raw_target");
  EXPECT_EQ(refused({fileOf({images(2), labels({0, -1})})}), "data.raw_target");
  EXPECT_EQ(refused({fileOf({images(2), {"target", "F32", {2}, std::string(8, '\0')}})}), "data.raw_target");
  EXPECT_EQ(refused({fileOf({{"input", "U8", {2, 4}, std::string(8, 'x')}, labels({0, 1})})}), "data.raw_input");
  EXPECT_EQ(refused({fileOf({{"input", "F64", {1, 1, 1, 1}, std::string(8, 'x')}, labels({0})})}), "data.raw_input");
  EXPECT_EQ(refused({fileOf({images(2), labels({0, 1})}),
                     fileOf({{"input", "U8", {1, 1, 1, 2}, "xy"}, labels({0})})}),
            "data.raw_differs");
  EXPECT_EQ(refused({fileOf({images(2), labels({0, 0})})}), "data.raw_too_few");
  EXPECT_EQ(refused({fileOf({images(1), labels({1})})}), "data.raw_too_few");
}

}  // namespace atelier::engine
