// "Show as PyTorch" as a person, a script or the window uses it. Where the Python itself does not matter, a shell script
// stands for it, so that what goes wrong goes wrong at will.
#include <chrono>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>
#include <tuple>

#include <gtest/gtest.h>

#include "core/registry/registry.h"
#include "core/wire/run_event.h"
#include "program.h"

namespace atelier::worker {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

const std::string kQuick =
    "--model mlp --data synthetic-images --device cpu --steps 12 --warmup 2 --blocks 3 --batch 32 --seed 5 ";

// A "Python" that has PyTorch, and then does what `body` says instead of running a script. The environment that chooses it.
std::string pretend(const Home& home, const std::string& body) {
  const auto file = home.folder() / "python";
  std::ofstream(file) << "#!/bin/sh\nif [ \"$1\" = -c ]; then echo 3.11.2; exit 0; fi\n" << body << "\n";
  fs::permissions(file, fs::perms::owner_all);
  return "export ATELIER_PYTHON='" + file.string() + "';";
}

// Lines of a script that goes well, up to its summary.
const std::string kGoesWell =
    "echo '{\"event\": \"start\", \"torch\": \"2.11.0\", \"device\": \"cpu\", \"threads\": 2}'\n"
    "echo '{\"event\": \"phase\", \"phase\": \"measuring\"}'\n"
    "echo '{\"event\": \"step\", \"step\": 3, \"samples\": 32, \"seconds\": 0.01, \"measured\": true, \"loss\": 2.5, "
    "\"learning_rate\": 0.001}'\n"
    "echo '{\"event\": \"block\", \"block\": 0, \"steps\": 4, \"samples\": 128, \"seconds\": 0.04, \"loss\": 2.25}'\n"
    "echo '{\"event\": \"block\", \"block\": 1, \"steps\": 4, \"samples\": 128, \"seconds\": 0.02, \"loss\": 2.0}'\n";
const std::string kSummary = "echo '{\"event\": \"summary\", \"steps\": 14, \"rss_bytes\": 1000000}'\n";

json onlyRun(const Home& home) {
  const auto runs = shell(home, "\"$E\" runs list --json").json();
  return runs.is_array() && runs.size() == 1 ? runs[0] : json();
}

json environmentOf(const Home& home, const std::string& run) {
  return json::parse(readAll((home.folder() / "runs" / run / "environment.json").string()), nullptr, false);
}

// Whether it comes true within twenty seconds.
template <class F>
bool comes(F condition) {
  for (int i = 0; i < 400; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

// A dead process that nobody has asked about yet does not.
bool lives(const std::string& process) {
  const auto state = readAll("/proc/" + process + "/stat");
  return !state.empty() && state.find(") Z") == std::string::npos;
}

}  // namespace

TEST(ScriptVerb, PrintsAScriptThatPythonAccepts) {
  const Home home;
  const auto printed = shell(home, "\"$E\" script " + kQuick);
  ASSERT_EQ(printed.code, 0) << printed.err;
  EXPECT_EQ(printed.out.find("#!/usr/bin/env python3\n"), 0U);
  EXPECT_EQ(
      shell(home, "\"$E\" script " + kQuick + "| '" ATELIER_PYTHON "' -c 'import ast, sys; ast.parse(sys.stdin.read())'").code,
      0);
  EXPECT_EQ(shell(home, "\"$E\" script " + kQuick + " --json").json()["script"], printed.out);
  EXPECT_TRUE(shell(home, "\"$E\" runs list --json").json().empty()) << "nothing was run";
}

TEST(ScriptVerb, WritesAFileAndNothingElse) {
  const Home home;
  const auto file = home.folder() / "train.py";
  const auto written = shell(home, "\"$E\" script " + kQuick + "--out " + file.string() + " --lang en");
  EXPECT_EQ(written.code, 0) << written.err;
  EXPECT_NE(written.out.find(file.string()), std::string::npos);
  EXPECT_EQ(readAll(file.string()), shell(home, "\"$E\" script " + kQuick).out);
  EXPECT_EQ(shell(home, "\"$E\" script --out " + home.folder().string()).code, 3) << "a folder stays a folder";
  EXPECT_EQ(shell(home, "\"$E\" script --out /dev/null").code, 3) << "and a device a device";
  EXPECT_EQ(shell(home, "\"$E\" script --out " + home.folder().string() + "/no/such/x.py").code, 3);
}

TEST(ScriptVerb, WrongSpecsAreRefusedAsByRun) {
  const Home home;
  for (const char* line : {"\"$E\" script --set bacth=3", "\"$E\" script --device gpu", "\"$E\" script --events",
                           "\"$E\" script --data synthetic-images --batch 4097", "echo '{' | \"$E\" script --spec -"})
    EXPECT_EQ(shell(home, line).code, 2) << line;
  EXPECT_EQ(shell(home, "\"$E\" script --device cuda:7").code, 0) << "a script may be made for another machine";
  EXPECT_EQ(shell(home, "\"$E\" script --run --device cuda:7").code, 5);
}

TEST(ScriptVerb, RunsInPythonAndIsRecordedBesideTheNativeRuns) {
  const Home home;
  const std::string python = "export ATELIER_PYTHON='" ATELIER_PYTHON "';";
  const auto output = shell(home, "\"$E\" script " + kQuick + "--run --json", python);
  ASSERT_EQ(output.code, 0) << output.err;
  const auto summary = output.json();
  EXPECT_EQ(summary["status"], "done");
  EXPECT_EQ(summary["steps"], 12);
  EXPECT_GT(summary["samples_per_second"]["median"].get<double>(), 0);
  EXPECT_GT(summary["milliseconds_per_step"]["p50"].get<double>(), 0);
  EXPECT_GT(summary["rss_bytes"].get<double>(), 1e8);
  const auto run = summary["id"].get<std::string>();
  const auto environment = environmentOf(home, run);
  EXPECT_EQ(environment["source"], "python");
  EXPECT_EQ(environment["torch"].get<std::string>().substr(0, 4), "2.11");
  EXPECT_EQ(readAll((home.folder() / "runs" / run / "script.py").string()), shell(home, "\"$E\" script " + kQuick).out);
  // The native run of the same spec has the same losses.
  const auto native = shell(home, "\"$E\" run " + kQuick + "--json").json();
  EXPECT_NEAR(native["loss"].get<double>(), summary["loss"].get<double>(), 1e-3);
  EXPECT_NEAR(native["accuracy"].get<double>(), summary["accuracy"].get<double>(), 0.01);
  EXPECT_FALSE(environmentOf(home, native["id"]).contains("source"));
}

TEST(ScriptVerb, ItsLinesBecomeARunsEvents) {
  const Home home;
  const auto output = shell(home, "\"$E\" script " + kQuick + "--run --events", pretend(home, kGoesWell + kSummary));
  ASSERT_EQ(output.code, 0) << output.err;
  std::vector<std::size_t> kinds;
  std::istringstream lines(output.out);
  for (std::string line; std::getline(lines, line);) {
    const auto event = wire::decodeEvent(line);
    ASSERT_TRUE(event.ok()) << line;
    EXPECT_FALSE(std::holds_alternative<wire::UnknownEvent>(event->body)) << line;
    kinds.push_back(event->body.index());
    if (const auto* progress = std::get_if<wire::Progress>(&event->body)) {
      EXPECT_DOUBLE_EQ(progress->samples_per_second, 3200);
      EXPECT_EQ(progress->planned_steps, 14);
    }
    if (const auto* finished = std::get_if<wire::RunFinished>(&event->body)) {
      EXPECT_DOUBLE_EQ(finished->summary.samples_per_second->median, 4800);
      EXPECT_EQ(finished->summary.steps, 8);
      EXPECT_EQ(finished->summary.loss, 2.0);
    }
  }
  ASSERT_GE(kinds.size(), 6U);
  EXPECT_EQ(kinds.front(), wire::EventBody(wire::RunStarted()).index());
  EXPECT_EQ(kinds.back(), wire::EventBody(wire::RunFinished()).index());
}

TEST(ScriptVerb, AScriptThatFailsEndsInItsOwnLastLine) {
  const Home home;
  const auto output = shell(home, "\"$E\" script " + kQuick + "--run --lang en",
                            pretend(home, kGoesWell + "echo Traceback >&2; echo 'ValueError: no such thing' >&2; exit 1"));
  EXPECT_EQ(output.code, 3);
  EXPECT_NE(output.err.find("ValueError: no such thing"), std::string::npos) << output.err;
  const auto run = onlyRun(home);
  EXPECT_EQ(run["status"], "failed");
  EXPECT_EQ(run["steps"], 8) << "what was measured is kept";
}

TEST(ScriptVerb, EachWayToFailHasItsSentence) {
  const std::vector<std::tuple<std::string, int, std::string>> ways{
      {"echo 'torch.OutOfMemoryError: CUDA out of memory.' >&2; exit 1", 4, "run.out_of_memory"},
      {"kill -9 $$", 3, "script.killed"},
      {"exit 0", 3, "script.incomplete"},
      {"exit 7", 3, "script.incomplete"},
      {kGoesWell, 3, "script.incomplete"}};
  for (const auto& [body, code, id] : ways) {
    const Home home;
    const auto output = shell(home, "\"$E\" script " + kQuick + "--run --json", pretend(home, body));
    EXPECT_EQ(output.code, code) << body;
    EXPECT_EQ(output.json()["failure"][0]["id"], id) << body;
    EXPECT_EQ(onlyRun(home)["status"], "failed") << body;
  }
}

TEST(ScriptVerb, WithoutAPythonItSaysWhereItLooked) {
  const Home home;
  for (const char* python : {"/no/such/python", "/bin/false", "/bin/true"}) {
    const auto output =
        shell(home, "\"$E\" script " + kQuick + "--run --lang en", "export ATELIER_PYTHON='" + std::string(python) + "';");
    EXPECT_EQ(output.code, 3) << python;
    EXPECT_NE(output.err.find(python), std::string::npos) << output.err;
  }
}

TEST(ScriptVerb, HostileLinesAreLeftOut) {
  const Home home;
  const auto output = shell(
      home, "\"$E\" script " + kQuick + "--run --json",
      pretend(home, kGoesWell +
                        "echo 'no JSON'; echo '[1]'; echo '{}'; echo '{\"event\": 3}'; echo '{\"event\": \"phase\", \"phase\": "
                        "\"lunch\"}'\n"
                        "echo '{\"event\": \"block\"}'; echo '{\"event\": \"block\", \"steps\": -1, \"seconds\": 1}'\n"
                        "echo '{\"event\": \"block\", \"steps\": 4, \"samples\": \"many\", \"seconds\": 0}'\n"
                        "echo '{\"event\": \"block\", \"steps\": 1e300, \"samples\": 1, \"seconds\": 1e300}'\n"
                        "echo '{\"event\": \"step\", \"step\": 1e300, \"samples\": null, \"seconds\": \"x\", \"loss\": []}'\n"
                        "echo '{\"event\": \"epoch\", \"accuracy\": \"all\"}'; echo '{\"event\": \"start\"}'\n"
                        "head -c 3000000 /dev/zero | tr '\\0' x; echo; head -c 100000 /dev/zero >&2\n" +
                        kSummary + "printf 'a line without an end'"));
  ASSERT_EQ(output.code, 0) << output.err;
  EXPECT_EQ(output.json()["steps"], 8) << "the two blocks that were whole";
  EXPECT_EQ(onlyRun(home)["status"], "done");
}

// A process that hangs, and one that will not hear, must neither hang the engine nor outlive it.
TEST(ScriptVerb, StoppedItKeepsWhatWasMeasuredAndLeavesNoProcess) {
  for (const std::string deaf : {"", "trap '' TERM INT; "}) {
    const Home home;
    const auto number = (home.folder() / "number").string();
    const auto hangs = kGoesWell + deaf + "sleep 1000 & echo $$ $! > " + number + "; wait; wait; sleep 1000";
    const auto output = shell(home,
                              "\"$E\" script " + kQuick + "--run --json & engine=$!; for i in $(seq 400); do [ -s " + number +
                                  " ] && break; sleep 0.05; done; sleep 1; kill -INT $engine; wait $engine",
                              pretend(home, hangs));
    EXPECT_EQ(output.code, 130) << output.err;
    EXPECT_EQ(output.json()["status"], "interrupted");
    EXPECT_EQ(output.json()["steps"], 8);
    std::istringstream processes(readAll(number));
    for (std::string process; processes >> process;)
      EXPECT_TRUE(comes([&] { return !lives(process); })) << process << " lives on";
  }
}

TEST(ScriptVerb, AKilledEngineTakesTheScriptWithIt) {
  const Home home;
  const auto number = (home.folder() / "number").string();
  shell(home,
        "\"$E\" script " + kQuick + "--run & engine=$!; for i in $(seq 400); do [ -s " + number +
            " ] && break; sleep 0.05; done; kill -9 $engine; wait $engine",
        pretend(home, kGoesWell + "echo $$ > " + number + "; exec sleep 1000"));
  std::istringstream processes(readAll(number));
  std::string process;
  ASSERT_TRUE(processes >> process);
  EXPECT_TRUE(comes([&] { return !lives(process); })) << process << " lives on";
}

TEST(ScriptVerb, ControlLinesPauseAndStop) {
  const Home home;
  const auto number = (home.folder() / "number").string();
  const auto output = shell(
      home,
      "( echo '{\"model\":\"mlp\",\"data\":\"synthetic-images\",\"device\":\"cpu\"}'; for i in $(seq 400); do [ -s " + number +
          " ] && break; sleep 0.05; done; sleep 1; echo '{\"command\":\"pause\"}'; sleep 1; echo "
          "'{\"command\":\"set\",\"key\":\"learning_rate\","
          "\"value\":1}'; echo '{\"command\":\"resume\"}'; sleep 1; echo '{\"command\":\"stop\"}'; sleep 5 ) | \"$E\" script "
          "--run "
          "--events --spec -",
      pretend(home, kGoesWell + "echo $$ > " + number + "; exec sleep 1000"));
  EXPECT_EQ(output.code, 130) << output.err;
  for (const char* part : {"\"phase\":\"paused\"", "\"phase\":\"resumed\"", "set.refused", "\"status\":\"interrupted\""})
    EXPECT_NE(output.out.find(part), std::string::npos) << part;
}

}  // namespace atelier::worker
