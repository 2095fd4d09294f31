// max-batch, as a user runs it.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "program.h"

namespace atelier::worker {
namespace {

using nlohmann::json;

const std::string kSearch = "\"$E\" max-batch --model cnn --data synthetic-images --device cpu --threads 1 ";

std::int64_t sumOf(const json& memory) {
  std::int64_t sum = 0;
  for (const auto& [part, bytes] : memory.items())
    if (part != "total") sum += bytes.get<std::int64_t>();
  return sum;
}

}  // namespace

TEST(MaxBatchVerb, AnswersWithTheBatchItsMemoryAndEveryTry) {
  const Home home;
  const auto output = shell(home, kSearch + "--memory-budget 24MiB --accumulation 2 --json");
  ASSERT_EQ(output.code, 0) << output.err;
  const auto answer = output.json();
  EXPECT_EQ(answer["status"], "done");
  const auto batch = answer["batch"].get<std::int64_t>();
  EXPECT_GT(batch, 2);
  EXPECT_EQ(answer["out_of_memory_at"], batch + 1);
  EXPECT_EQ(answer["effective_batch"], 2 * batch);
  EXPECT_EQ(answer["budget_bytes"], 24 << 20);
  EXPECT_EQ(answer["budget_source"], "budget");
  EXPECT_EQ(answer["samples"], 4096);
  EXPECT_LE(answer["peak_bytes"], answer["budget_bytes"]);
  EXPECT_EQ(sumOf(answer["peak_memory_bytes"]), answer["peak_bytes"]);
  EXPECT_EQ(sumOf(answer["predicted_memory_bytes"]), answer["predicted_memory_bytes"]["total"]);
  int predicted = 0;
  for (const auto& one : answer["tries"]) {
    EXPECT_EQ(one["fits"].get<bool>(), one["batch"] <= batch);
    EXPECT_EQ(one.contains("peak_bytes"), one["fits"].get<bool>());
    if (one["batch"] == batch) {
      EXPECT_EQ(one["peak_bytes"], answer["peak_bytes"]);
    }
    if (!one.contains("predicted_bytes") || !one["fits"].get<bool>()) continue;
    ++predicted;
    const auto peak = one["peak_bytes"].get<double>();
    if (one["batch"] >= 8) {
      EXPECT_NEAR(one["predicted_bytes"].get<double>(), peak, 0.15 * peak) << one;
    }
  }
  EXPECT_GE(predicted, 2);
  const auto& model = answer["model"];
  EXPECT_EQ(model["weights_bytes"], answer["peak_memory_bytes"]["weights"]);
  EXPECT_EQ(model["optimizer_bytes"].get<std::int64_t>() / model["trained_values"].get<std::int64_t>(), 8);
  EXPECT_GT(model["bytes_per_sample"]["activations"].get<double>(), 100000);
  EXPECT_EQ(shell(home, "\"$E\" runs list --json").json().size(), 0U) << "its tries are no runs of the user's";
}

TEST(MaxBatchVerb, ABudgetMayStandInTheSpecAndInAnyUnit) {
  const Home home;
  const auto flag = shell(home, kSearch + "--memory-budget 16MiB --multiple 4 --json").json();
  const auto set = shell(home, kSearch + "--set memory_budget=16384KiB --multiple 4 --json").json();
  const auto spec = shell(home,
                          "echo '{\"memory_budget\":16777216,\"model\":\"cnn\",\"data\":\"synthetic-images\",\"threads\":1,"
                          "\"device\":\"cpu\",\"batch\":100000}' | \"$E\" max-batch --spec - --multiple 4 --json")
                        .json();
  ASSERT_TRUE(flag.contains("batch")) << flag;
  EXPECT_EQ(flag["batch"].get<std::int64_t>() % 4, 0);
  EXPECT_EQ(flag["out_of_memory_at"].get<std::int64_t>() - flag["batch"].get<std::int64_t>(), 4);
  EXPECT_EQ(set, flag);
  EXPECT_EQ(spec, flag) << "a spec's own batch is not read";
}

TEST(MaxBatchVerb, TheDataIsTheLimitWhereMemoryIsNot) {
  const Home home;
  const auto answer =
      shell(home, "\"$E\" max-batch --model mlp --data synthetic-images --device cpu --memory-budget 1GiB --json").json();
  EXPECT_EQ(answer["batch"], 4096);
  EXPECT_TRUE(answer["out_of_memory_at"].is_null());
}

TEST(MaxBatchVerb, ATableForPeopleInTheirLanguage) {
  const Home home;
  const auto output = shell(home, kSearch + "--memory-budget 24MiB --lang fr");
  ASSERT_EQ(output.code, 0) << output.err;
  for (const char* word : {"mémoire épuisée", "Activations", "Mesuré", "Prédit", "Le plus grand lot"})
    EXPECT_NE(output.out.find(word), std::string::npos) << word << " is not in " << output.out;
  EXPECT_EQ(output.out.find('{'), std::string::npos) << "a text without its values";
  const auto free = shell(home, "\"$E\" max-batch --model mlp --data synthetic-images --device cpu --lang en");
  ASSERT_EQ(free.code, 0) << free.err;
  EXPECT_NE(free.out.find("60 %"), std::string::npos) << "without a budget it says what the limit is: " << free.out;
}

TEST(MaxBatchVerb, EveryTryIsAnEventAndTheAnswerTheLast) {
  const Home home;
  const auto output = shell(home, kSearch + "--memory-budget 24MiB --events");
  ASSERT_EQ(output.code, 0) << output.err;
  std::vector<json> events;
  for (std::size_t at = 0, end; (end = output.out.find('\n', at)) != std::string::npos; at = end + 1)
    events.push_back(json::parse(output.out.substr(at, end - at)));
  ASSERT_GT(events.size(), 3U);
  EXPECT_EQ(events.front()["kind"], "phase");
  EXPECT_EQ(events.back()["kind"], "answer");
  EXPECT_EQ(events.size() - 2, events.back()["answer"]["tries"].size());
}

TEST(MaxBatchVerb, NothingFitsIsOutOfMemoryWithARemedy) {
  const Home home;
  const auto output = shell(home, kSearch + "--memory-budget 1MiB --json --lang en");
  EXPECT_EQ(output.code, 4);
  const auto failure = output.json()["failure"];
  EXPECT_EQ(failure[0]["id"], "max_batch.nothing_fits");
  EXPECT_EQ(failure[1]["id"], "max_batch.model_too_large");
  EXPECT_NE(output.err.find("bf16-pure"), std::string::npos) << output.err;
  const auto samples = shell(home, kSearch + "--memory-budget 24MiB --multiple 1024 --json");
  EXPECT_EQ(samples.code, 4);
  EXPECT_EQ(samples.json()["failure"][1]["id"], "max_batch.samples_too_large");
}

TEST(MaxBatchVerb, MistakesAreNamed) {
  const Home home;
  EXPECT_EQ(shell(home, "\"$E\" max-batch --model mpl").code, 2);
  EXPECT_EQ(shell(home, kSearch + "--memory-budget lots").code, 2);
  EXPECT_EQ(shell(home, kSearch + "--multiple 0").code, 2);
  const auto output = shell(home, kSearch + "--memory-budget 1GiB --multiple 5000 --json");
  EXPECT_EQ(output.code, 2);
  EXPECT_EQ(output.json()["failure"][0]["id"], "max_batch.multiple");
}

TEST(MaxBatchVerb, InterruptedItSaysSo) {
  const Home home;
  const auto output =
      shell(home,
            "\"$E\" max-batch --model resnet18 --data synthetic-images --device cpu --memory-budget 64GiB --json & "
            "pid=$!; sleep 4; kill -INT $pid; wait $pid");
  ASSERT_EQ(output.code, 130) << output.err;
  EXPECT_EQ(output.json()["status"], "interrupted");
  EXPECT_TRUE(output.json()["out_of_memory_at"].is_null());
}

}  // namespace atelier::worker
