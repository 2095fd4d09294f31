// atelier-engine profile, end to end: what a sound run and runs with teaching faults are diagnosed as, and the files they
// leave.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <sys/resource.h>

#include <gtest/gtest.h>

#include "program.h"

namespace atelier::worker {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

const std::string kRun =
    "\"$E\" profile --model cnn --data synthetic-images --device cpu --batch 64 --steps 12 --warmup 3 --blocks 2 --json";

json findingOf(const json& answer, const Words& rules) {
  for (const auto& finding : answer["diagnosis"])
    if (std::find(rules.begin(), rules.end(), finding["rule"].get<std::string>()) != rules.end()) return finding;
  return {};
}

std::string rulesOf(const json& answer) {
  std::string all;
  for (const auto& finding : answer["diagnosis"])
    all += finding["rule"].get<std::string>() + " (" + finding["severity"].get<std::string>() + ") ";
  return all;
}

// Processor time of everybody but this program and its children, since one look; 100 is all cores.
class Others {
 public:
  double percent() const {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - m_begin).count();
    const double others = (busy() - m_busy) - (ours() - m_ours);
    return 100 * others / (seconds * std::max(1U, std::thread::hardware_concurrency()));
  }

 private:
  static double busy() {
    std::ifstream file("/proc/stat");
    std::string name;
    double user = 0, nice = 0, system = 0;
    file >> name >> user >> nice >> system;
    return (user + nice + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  }
  static double ours() {
    double seconds = 0;
    for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
      rusage usage{};
      getrusage(who, &usage);
      for (const auto& time : {usage.ru_utime, usage.ru_stime})
        seconds += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    }
    return seconds;
  }

  std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
  double m_busy = busy(), m_ours = ours();
};

struct Case {
  std::string fault;
  Words rules;
  std::string least = "warning";  // unless it is the first
};

// On a CPU a value is there already: reading it is a habit to lose, and costs little.
const std::vector<Case> kCases{{"slow-loader", {"input_bound"}},
                               {"item", {"sync_in_loop"}, "hint"},
                               {"tiny-batches", {"small_batch", "launch_bound"}},
                               {"memory-leak", {"memory_leak"}},
                               {"nan", {"not_finite"}},
                               {"dead-relu", {"dead_activations"}},
                               {"exploding-gradient", {"gradient_exploding"}},
                               {"busy-machine", {"busy_machine"}}};

class Fault : public testing::TestWithParam<Case> {};

// Name, calls, self and total time of each row.
using Operators = std::multiset<std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t>>;

Operators operatorsOf(const json& answer) {
  Operators all;
  for (const auto& row : answer["operators"])
    all.emplace(row["name"].get<std::string>(), row["calls"].get<std::int64_t>(), row["self_ns"].get<std::int64_t>(),
                row["total_ns"].get<std::int64_t>());
  return all;
}

}  // namespace

TEST_P(Fault, IsDiagnosedAsWhatItIs) {
  const Home home;
  const auto output = shell(home, kRun + " --set inject=" + GetParam().fault);
  ASSERT_EQ(output.code, 0) << output.err;
  const auto answer = output.json();
  ASSERT_TRUE(answer.contains("diagnosis")) << output.out;
  const auto finding = findingOf(answer, GetParam().rules);
  ASSERT_TRUE(finding.is_object()) << GetParam().fault << " was diagnosed as " << rulesOf(answer);
  const Words grave = GetParam().least == "hint" ? Words{"critical", "warning", "hint"} : Words{"critical", "warning"};
  const bool first = answer["diagnosis"][0]["rule"] == finding["rule"];
  EXPECT_TRUE(first || std::find(grave.begin(), grave.end(), finding["severity"].get<std::string>()) != grave.end())
      << rulesOf(answer);
  EXPECT_FALSE(finding["evidence_text"].empty());
  for (const auto& sentence : finding["evidence_text"])
    EXPECT_EQ(sentence.get<std::string>().find('{'), std::string::npos) << sentence;
  EXPECT_NE(output.err.find(GetParam().fault), std::string::npos) << "the run says that it is sick: " << output.err;
  const auto folder = home.folder() / "runs" / answer["id"].get<std::string>();
  EXPECT_EQ(json::parse(readAll((folder / "spec.json").string()), nullptr, false)["inject"], GetParam().fault);
}

INSTANTIATE_TEST_SUITE_P(Teaching, Fault, testing::ValuesIn(kCases), [](const testing::TestParamInfo<Case>& info) {
  auto name = info.param.fault;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Profile, ASoundRunHasNoneOfTheFaults) {
  const Home home;
  const Others others;
  const auto output = shell(home, kRun);
  const double busy = others.percent();
  ASSERT_EQ(output.code, 0) << output.err;
  const auto answer = output.json();
  for (const auto& [fault, rules, least] : kCases) {
    // Whether the machine is busy is not for a test to say.
    if (fault == "busy-machine" && (busy > 5 || answer["disturbed_blocks"].get<int>() > 0)) continue;
    EXPECT_TRUE(findingOf(answer, rules).is_null()) << rulesOf(answer);
  }
  EXPECT_EQ(answer["health"]["first_bad_stage"], "");
  EXPECT_FALSE(answer["health"]["activations"].empty());
  EXPECT_LT(answer["health"]["gradient_norm"].get<double>(), 100);
}

TEST(Profile, TheBreakdownSumsToItsWallAndTheTraceTellsTheSameElsewhere) {
  const Home home;
  const auto output = shell(home, kRun);
  ASSERT_EQ(output.code, 0) << output.err;
  const auto answer = output.json();
  const auto& breakdown = answer["breakdown"];
  EXPECT_EQ(breakdown["steps"], 3);
  std::int64_t sum = 0;
  for (const char* part : {"data_ns", "forward_ns", "backward_ns", "optimizer_ns", "other_ns", "between_ns"})
    sum += breakdown[part].get<std::int64_t>();
  EXPECT_GT(breakdown["wall_ns"].get<std::int64_t>(), 0);
  EXPECT_EQ(sum, breakdown["wall_ns"].get<std::int64_t>());

  const auto trace = answer["trace"].get<std::string>();
  EXPECT_EQ(readAll(trace).substr(0, 2), "\x1f\x8b") << "gzip";
  const auto imported = shell(home, "\"$E\" profile --import '" + trace + "' --json");
  ASSERT_EQ(imported.code, 0) << imported.err;
  const auto again = imported.json();
  ASSERT_FALSE(answer["operators"].empty());
  EXPECT_EQ(operatorsOf(again), operatorsOf(answer));
  EXPECT_EQ(again["breakdown"], breakdown);
  const auto kept =
      json::parse(readAll((std::filesystem::path(trace).parent_path() / "profile.json").string()), nullptr, false);
  EXPECT_EQ(operatorsOf(kept), operatorsOf(answer));
}

TEST(Profile, AnUnknownFaultIsRefusedWithTheNearest) {
  const Home home;
  const auto output = shell(home, "\"$E\" run --model mlp --data synthetic-images --lang en --set inject=busy-machin");
  EXPECT_EQ(output.code, 2);
  EXPECT_NE(output.err.find("busy-machin”"), std::string::npos) << output.err;
  EXPECT_NE(output.err.find("exploding-gradient"), std::string::npos) << output.err;
}

TEST(Profile, AnomalyNamesWhereTheFirstNanWasBorn) {
  const Home home;
  const auto output = shell(home,
                            "\"$E\" run --model cnn --data synthetic-images --device cpu --batch 16 --steps 6 --warmup 0 "
                            "--blocks 1 --set evaluate=false --set inject=nan --set anomaly=true --lang en");
  ASSERT_EQ(output.code, 0) << output.err;
  EXPECT_NE(output.err.find("Step 3: the first value that is not finite was born in 1.0, in the operator aten::div"),
            std::string::npos)
      << output.err;
}

// Whatever ends the engine: no burner outlives it.
TEST(Profile, ABusyMachineIsFreeAgainWhenTheEngineIsKilled) {
  const Home home;
  const auto output = shell(
      home,
      "\"$E\" run --model mlp --data synthetic-images --device cpu --steps 100000000 --blocks 1000 --set inject=busy-machine "
      ">/dev/null & pid=$!; kids=; for i in $(seq 200); do kids=$(cat /proc/$pid/task/$pid/children); [ -n \"$kids\" ] && "
      "break; sleep 0.1; done; sleep 0.5; all=$kids; for k in $kids; do all=\"$all $(cat /proc/$k/task/$k/children)\"; done; "
      "kill -9 $pid; for i in $(seq 100); do alive=; for k in $all; do state=$(sed 's/.*) //' /proc/$k/stat 2>/dev/null | cut "
      "-c1); case \"$state\" in ''|Z|X) ;; *) alive=\"$alive $k\";; esac; done; [ -z \"$alive\" ] && break; sleep 0.1; done; "
      "echo \"began: $all\"; echo \"alive:$alive.\"");
  std::istringstream lines(output.out);
  std::string began, alive;
  std::getline(lines, began);
  std::getline(lines, alive);
  EXPECT_GE(std::count(began.begin(), began.end(), ' '), 2) << "a shell and what it burns with: " << output.out << output.err;
  EXPECT_EQ(alive, "alive:.");
}

}  // namespace atelier::worker
