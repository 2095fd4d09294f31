#include "core/wire/option.h"

#include <gtest/gtest.h>

#include "core/wire/number.h"
#include "core/wire/run_spec.h"

namespace atelier::wire {
namespace {

Schema schema() {
  auto built = Schema::build({integerOption("batch", 128, 1, 1024), numberOption("learning_rate", 1e-3, 0, 10),
                              booleanOption("fused", false), choiceOption("precision", {"fp32", "bf16"}),
                              textOption("device", "auto"), bytesOption("memory_budget")});
  EXPECT_TRUE(built.ok());
  return *built;
}

const Message* find(const Error& error, const std::string& id) {
  for (const auto& message : error.messages)
    if (message.id == id) return &message;
  return nullptr;
}

std::string arg(const Message& message, const std::string& key) {
  for (const auto& [name, value] : message.args)
    if (name == key) return value;
  return "";
}

}  // namespace

TEST(Schema, RefusesAKeyDeclaredTwice) {
  const auto built = Schema::build({integerOption("batch", 1, 1, 2), booleanOption("batch", true)});
  ASSERT_FALSE(built.ok());
  EXPECT_EQ(built.error().messages.front().id, "option.twice");
}

TEST(Schema, SurvivesItsOwnDescription) {
  const auto original = schema();
  const auto read = Schema::fromJson(original.toJson());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->toJson(), original.toJson());
}

TEST(RunSpec, FillsInDefaults) {
  const auto spec = RunSpec::parse(schema(), nlohmann::json::object());
  ASSERT_TRUE(spec.ok());
  EXPECT_EQ(spec->integer("batch"), 128);
  EXPECT_EQ(spec->text("precision"), "fp32");
  EXPECT_EQ(spec->integer("memory_budget"), 0);
}

TEST(RunSpec, NamesEveryMistakeWithTheNearestName) {
  const auto spec = RunSpec::parseText(
      schema(), R"({"bacth": 32, "batch": 0, "precision": "bf17", "fused": "yes", "learning_rate": "x", "zzz": 1})");
  ASSERT_FALSE(spec.ok());
  EXPECT_EQ(spec.error().code, ExitCode::Usage);
  EXPECT_EQ(spec.error().messages.size(), 6U);
  const auto* unknown = find(spec.error(), "spec.unknown_key_near");
  ASSERT_NE(unknown, nullptr);
  EXPECT_EQ(arg(*unknown, "nearest"), "batch");
  const auto* choice = find(spec.error(), "option.choice");
  ASSERT_NE(choice, nullptr);
  EXPECT_EQ(arg(*choice, "allowed"), "fp32, bf16");
  EXPECT_EQ(arg(*choice, "nearest"), "bf16");
  EXPECT_NE(find(spec.error(), "option.range"), nullptr);
  EXPECT_NE(find(spec.error(), "option.boolean"), nullptr);
  EXPECT_NE(find(spec.error(), "spec.unknown_key"), nullptr);
}

TEST(RunSpec, RefusesAKeyGivenTwiceAndWhatIsNoObject) {
  EXPECT_EQ(RunSpec::parseText(schema(), R"({"batch": 1, "batch": 2})").error().messages.front().id, "spec.key_twice");
  EXPECT_EQ(RunSpec::parseText(schema(), "[1]").error().messages.front().id, "spec.not_object");
  EXPECT_EQ(RunSpec::parseText(schema(), "{").error().messages.front().id, "spec.malformed");
  EXPECT_FALSE(RunSpec::parseText(schema(), std::string(100000, '[')).ok());
}

TEST(RunSpec, IntegersAreExactAndInRange) {
  EXPECT_TRUE(RunSpec::parseText(schema(), R"({"batch": 64.0})").ok());
  for (const char* bad : {R"({"batch": 1.5})", R"({"batch": 1e30})", R"({"batch": -1})", R"({"batch": true})",
                          R"({"batch": null})", R"({"batch": 18446744073709551615})"})
    EXPECT_FALSE(RunSpec::parseText(schema(), bad).ok()) << bad;
}

TEST(RunSpec, SurvivesJson) {
  auto spec = RunSpec::parseText(schema(), R"({"batch": 7, "memory_budget": "512MiB", "fused": true})");
  ASSERT_TRUE(spec.ok());
  EXPECT_EQ(spec->integer("memory_budget"), 512LL << 20);
  const auto again = RunSpec::parse(schema(), spec->toJson());
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(*again == *spec);
}

TEST(Numbers, BytesAreReadAsPeopleWriteThem) {
  EXPECT_EQ(parseBytes("512MiB"), 512LL << 20);
  EXPECT_EQ(parseBytes("1.5 GiB"), 3LL << 29);
  EXPECT_EQ(parseBytes("2GB"), 2000000000);
  EXPECT_EQ(parseBytes("4096"), 4096);
  for (const char* bad : {"", "MiB", "-1MiB", "1 XB", "1e30GiB", "0x10", "1,5GiB", "nan"})
    EXPECT_FALSE(parseBytes(bad).has_value()) << bad;
}

TEST(Numbers, TextIsStrict) {
  EXPECT_EQ(parseNumber("1e-3"), 1e-3);
  EXPECT_EQ(parseNumber("-2.5"), -2.5);
  for (const char* bad : {"", "inf", "nan", "1,5", " 1", "1 ", ".5", "0x1p3", "1e", "--1", "+1"})
    EXPECT_FALSE(parseNumber(bad).has_value()) << bad;
}

TEST(NearestName, FindsTypingErrorsAndNothingFarAway) {
  const std::vector<std::string> keys{"learning_rate", "batch", "steps", "seed"};
  EXPECT_EQ(nearestName("learning_rat", keys), "learning_rate");
  EXPECT_EQ(nearestName("setps", keys), "steps");
  EXPECT_EQ(nearestName("learn", keys), "learning_rate");
  EXPECT_EQ(nearestName("quantize", keys), "");
}

}  // namespace atelier::wire
