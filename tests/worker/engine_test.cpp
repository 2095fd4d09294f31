#include <set>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "core/registry/registry.h"
#include "core/wire/run_event.h"
#include "program.h"

namespace atelier::worker {
namespace {

const std::string kQuick =
    "--model mlp --data synthetic-images --device cpu --steps 30 --warmup 2 --blocks 5 --batch 32 --set evaluate=false";

}  // namespace

TEST(Engine, ARunPrintsOneJsonObjectWithTheContractsKeys) {
  const Home home;
  const auto output = shell(home, "\"$E\" run " + kQuick + " --json");
  ASSERT_EQ(output.code, 0) << output.err;
  const auto summary = output.json();
  ASSERT_TRUE(summary.is_object()) << output.out;
  for (const char* key : {"id", "status", "seed", "steps", "optimizer_steps", "skipped_steps", "samples_per_second",
                          "milliseconds_per_step", "first_step_milliseconds", "peak_memory_bytes", "rss_bytes", "loss"})
    EXPECT_TRUE(summary.contains(key)) << key;
  EXPECT_EQ(summary["status"], "done");
  EXPECT_EQ(summary["steps"], 30);
  for (const char* key : {"median", "low", "high"}) EXPECT_GT(summary["samples_per_second"][key].get<double>(), 0);
  for (const char* key : {"total", "weights", "gradients", "optimizer", "activations", "other"})
    EXPECT_TRUE(summary["peak_memory_bytes"].contains(key));
  EXPECT_GT(summary["startup_milliseconds"].get<double>(), 0);
}

TEST(Engine, ARaceHasBothVariantsRatioAndVerdict) {
  const Home home;
  const auto output = shell(home, "\"$E\" race " + kQuick + " --b batch=256 --json");
  ASSERT_EQ(output.code, 0) << output.err;
  const auto race = output.json();
  for (const char* key : {"a", "b", "verdict", "same_quality"}) EXPECT_TRUE(race.contains(key)) << key;
  EXPECT_EQ(race["a"]["variant"], "a");
  const auto runs = shell(home, "\"$E\" runs list --json").json();
  EXPECT_EQ(runs.size(), 2U);
}

TEST(Engine, WrongUsageNamesEveryMistakeAndExitsWithTwo) {
  const Home home;
  const auto output = shell(home, "\"$E\" run --lang en --set bacth=3 --set precision=bf17 --set steps=0");
  EXPECT_EQ(output.code, 2);
  EXPECT_NE(output.err.find("Did you mean batch?"), std::string::npos) << output.err;
  EXPECT_NE(output.err.find("fp32, tf32, bf16"), std::string::npos) << output.err;
  EXPECT_NE(output.err.find("steps"), std::string::npos) << output.err;
  for (const char* line : {"\"$E\"", "\"$E\" nonsense", "\"$E\" run --modle x", "\"$E\" run --spec /no/such/file",
                           "echo '{' | \"$E\" run --spec -", "echo '{\"batch\":1,\"batch\":2}' | \"$E\" run --spec -",
                           "\"$E\" run --device gpu", "\"$E\" run --set batch", "\"$E\" inspect /no/such"})
    EXPECT_EQ(shell(home, line).code, 2) << line;
  EXPECT_TRUE(shell(home, "\"$E\" runs list --json").json().empty()) << "nothing was run";
}

TEST(Engine, ASpecFromAPipeMaySpanLines) {
  const Home home;
  const auto output = shell(home,
                            "printf '{\\n \"model\": \"mlp\",\\n \"data\": \"synthetic-images\",\\n \"steps\": 6, \"batch\": "
                            "16, \"evaluate\": false, \"device\": \"cpu\" }\\n' | \"$E\" run --spec - --json");
  ASSERT_EQ(output.code, 0) << output.err;
  EXPECT_EQ(output.json()["steps"], 6);
}

TEST(Engine, OutOfMemoryExitsWithFourAndIsRecorded) {
  const Home home;
  const auto output = shell(home, "\"$E\" run " + kQuick + " --memory-budget 1MiB --json");
  EXPECT_EQ(output.code, 4) << output.err;
  EXPECT_EQ(output.json()["status"], "failed");
  EXPECT_EQ(output.json()["failure"][0]["id"], "run.out_of_memory");
  EXPECT_NE(output.err.find("1048576"), std::string::npos) << "the budget is named: " << output.err;
}

TEST(Engine, AMissingGpuExitsWithFiveAndSaysWhy) {
  const Home home;
  const auto output = shell(home, "\"$E\" run " + kQuick + " --device cuda:7 --lang en");
  EXPECT_EQ(output.code, 5);
  EXPECT_NE(output.err.find("GPU"), std::string::npos);
}

TEST(Engine, InterruptedKeepsWhatWasMeasured) {
  const Home home;
  const auto output = shell(
      home, "\"$E\" run " + kQuick + " --steps 100000000 --blocks 1000000 --json & pid=$!; sleep 4; kill -INT $pid; wait $pid");
  EXPECT_EQ(output.code, 2) << "blocks are limited to 1000";
  const auto again = shell(home,
                           "\"$E\" run --model mlp --data synthetic-images --steps 1000000 --blocks 1000 --json & pid=$!; "
                           "sleep 4; kill -INT $pid; wait $pid");
  EXPECT_EQ(again.code, 130) << again.err;
  EXPECT_EQ(again.json()["status"], "interrupted");
  EXPECT_GT(again.json()["steps"].get<int>(), 0);
}

TEST(Engine, AKilledRunIsFoundByTheNextReader) {
  const Home home;
  shell(home,
        "\"$E\" run --model mlp --data synthetic-images --steps 100000 --blocks 1000 & pid=$!; sleep 4; kill -9 $pid; wait "
        "$pid");
  const auto runs = shell(home, "\"$E\" runs list --json").json();
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0]["status"], "failed");
  EXPECT_EQ(runs[0]["failure"][0]["id"], "run.killed");
  EXPECT_GT(runs[0]["steps"].get<int>(), 0) << "blocks that were written are kept";
}

TEST(Engine, AFullDiskEndsTheRunWithASentenceAndKeepsTheSummary) {
  const Home home;
  const auto output = shell(home,
                            "ulimit -f 400; \"$E\" run --model mlp --data synthetic-images --batch 8 --steps 200000 --blocks "
                            "1000 --set evaluate=false --lang en --json >/dev/null");
  EXPECT_EQ(output.code, 3) << output.err;
  EXPECT_NE(output.err.find("disk"), std::string::npos) << output.err;
  const auto runs = shell(home, "\"$E\" runs list --json").json();
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0]["status"], "failed");
  EXPECT_GT(runs[0]["steps"].get<int>(), 0);
}

TEST(Engine, EventsAreAllThatStdoutCarries) {
  const Home home;
  const auto output =
      shell(home,
            "echo '{\"model\":\"mlp\",\"data\":\"synthetic-images\",\"steps\":50,\"batch\":16,\"device\":\"cpu\"}' | "
            "ONEDNN_VERBOSE=1 \"$E\" run --events --spec -");
  ASSERT_EQ(output.code, 0) << output.err;
  std::istringstream lines(output.out);
  std::set<std::size_t> kinds;
  std::int64_t last = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto event = wire::decodeEvent(line);
    ASSERT_TRUE(event.ok()) << line;
    EXPECT_FALSE(std::holds_alternative<wire::UnknownEvent>(event->body)) << line;
    EXPECT_GE(event->t, last);
    last = event->t;
    kinds.insert(event->body.index());
  }
  EXPECT_GE(kinds.size(), 6U);
}

TEST(Engine, ControlLinesPauseResumeAndStop) {
  const Home home;
  const auto output =
      shell(home,
            "( echo '{\"model\":\"mlp\",\"data\":\"synthetic-images\",\"steps\":10000000,\"blocks\":1000}'; sleep 3; echo "
            "'{\"command\":\"pause\"}'; sleep 1; echo "
            "'{\"command\":\"resume\"}'; sleep 1; echo '{\"command\":\"stop\"}'; sleep 20 ) | \"$E\" run --events --spec -");
  EXPECT_NE(output.out.find("\"phase\":\"paused\""), std::string::npos);
  EXPECT_NE(output.out.find("\"phase\":\"resumed\""), std::string::npos);
  EXPECT_NE(output.out.find("\"status\":\"interrupted\""), std::string::npos);
}

TEST(Engine, TheFrenchLocaleChangesWordsAndNoFile) {
  const Home home;
  ASSERT_EQ(shell(home, "locale -a | grep -qi fr_FR.utf").code, 0) << "generate it: localedef -i fr_FR -f UTF-8 fr_FR.UTF-8";
  const auto output = shell(home, "\"$E\" run " + kQuick + " --set learning_rate=0.002 --json", "export LC_ALL=fr_FR.UTF-8;");
  ASSERT_EQ(output.code, 0) << output.err;
  EXPECT_TRUE(output.json()["samples_per_second"]["median"].is_number());
  const auto id = output.json()["id"].get<std::string>();
  const auto spec = nlohmann::json::parse(readAll((home.folder() / "runs" / id / "spec.json").string()), nullptr, false);
  EXPECT_EQ(spec["learning_rate"], 0.002);
  EXPECT_NE(shell(home, "\"$E\" run --set bacth=1", "export LC_ALL=fr_FR.UTF-8;").err.find("Vouliez-vous dire batch"),
            std::string::npos);
}

TEST(Engine, CompareExportsAndReadsBack) {
  const Home home;
  shell(home, "\"$E\" run " + kQuick + "; \"$E\" run " + kQuick + " --set learning_rate=0.01");
  const auto runs = shell(home, "\"$E\" runs list --json").json();
  ASSERT_EQ(runs.size(), 2U);
  const auto a = runs[0]["id"].get<std::string>(), b = runs[1]["id"].get<std::string>();
  const auto compared = shell(home, "\"$E\" compare " + a + " " + b + " --json").json();
  EXPECT_EQ(compared["differences"].size(), 1U);
  EXPECT_TRUE(compared["differences"].contains("learning_rate"));
  const auto markdown = shell(home, "\"$E\" compare " + a + " " + b + " --markdown --lang fr").out;
  EXPECT_EQ(markdown.find("| "), 0U) << markdown;
  EXPECT_NE(shell(home, "\"$E\" compare " + a + " " + b + " --csv").out.find("samples_per_second"), std::string::npos);
  const auto file = home.folder() / "export.json";
  EXPECT_EQ(shell(home, "\"$E\" runs export " + a + " --out " + file.string()).code, 0);
  EXPECT_EQ(nlohmann::json::parse(readAll(file.string()))["runs"][0]["id"], a);
  EXPECT_EQ(shell(home, "\"$E\" runs delete " + a).code, 0);
  EXPECT_EQ(shell(home, "\"$E\" runs list --json").json().size(), 1U);
  EXPECT_EQ(shell(home, "\"$E\" runs restore " + a).code, 0);
  EXPECT_EQ(shell(home, "\"$E\" runs reindex --json").json()["runs"], 2);
}

TEST(Engine, DescribeDoctorInspectAndHelpAnswer) {
  const Home home;
  const auto described = shell(home, "\"$E\" describe --json").json();
  EXPECT_GE(described["options"].size(), 25U);
  EXPECT_EQ(described["models"].size(), 9U);
  for (const auto& option : described["options"]) {
    EXPECT_NE(option["label"], "option." + option["key"].get<std::string>() + ".label") << "no text for " << option["key"];
    EXPECT_NE(option["help"], "option." + option["key"].get<std::string>() + ".help");
  }
  const auto doctor = shell(home, "\"$E\" doctor --json").json();
  EXPECT_GT(doctor["matmul_gflops"]["float32"]["median"].get<double>(), 0);
  EXPECT_GT(doctor["bf16_ratio"].get<double>(), 0);
  EXPECT_TRUE(doctor["problems"].is_array());
  const auto help = shell(home, "\"$E\" run --help --lang fr");
  EXPECT_EQ(help.code, 0);
  EXPECT_NE(help.out.find("Exemples"), std::string::npos);
  EXPECT_NE(shell(home, "\"$E\" completion").out.find("complete "), std::string::npos);
  EXPECT_EQ(shell(home, "\"$E\" completion | bash -n").code, 0);
}

TEST(Engine, InspectRefusesHostileSafetensors) {
  const Home home;
  const auto write = [&](const std::string& header, std::size_t data, std::uint64_t length) {
    const auto file = home.folder() / "x.safetensors";
    FILE* output = fopen(file.c_str(), "wb");
    fwrite(&length, 8, 1, output);
    fwrite(header.data(), 1, header.size(), output);
    fwrite(std::string(data, '\0').data(), 1, data, output);
    fclose(output);
    return shell(home, "\"$E\" inspect " + file.string() + " --json");
  };
  const std::string sound = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  EXPECT_EQ(write(sound, 8, sound.size()).json()["tensors"][0]["name"], "a");
  for (const auto& [header, data] : std::vector<std::pair<std::string, std::size_t>>{
           {sound, 7},
           {sound, 9},
           {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4},
           {R"({"a":{"dtype":"F99","shape":[2],"data_offsets":[0,8]}})", 8},
           {R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", 8},
           {R"({"a":{"dtype":"F32","shape":[4611686018427387905,4],"data_offsets":[0,16]}})", 16},
           {R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}})", 6},
           {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1},
           {"[]", 0},
           {"{", 0}})
    EXPECT_EQ(write(header, data, header.size()).code, 2) << header;
  EXPECT_EQ(write(sound, 8, 1ULL << 62).code, 2) << "a header longer than the file";
}

}  // namespace atelier::worker
