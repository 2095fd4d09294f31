// Sweeps, as a script or the window runs them.
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "core/registry/registry.h"
#include "core/wire/run_event.h"
#include "program.h"

namespace atelier::worker {
namespace {

using nlohmann::json;

const std::string kSweep =
    "\"$E\" sweep --model mlp --data synthetic-images --device cpu --steps 12 --warmup 1 --blocks 3 --batch 32 --set "
    "evaluate=false ";

json environmentOf(const Home& home, const std::string& run) {
  return json::parse(readAll((home.folder() / "runs" / run / "environment.json").string()), nullptr, false);
}

std::map<json, json> pointsByBatch(const json& sweep) {
  std::map<json, json> points;
  for (const auto& point : sweep["points"]) points[point["values"]["batch"]] = point;
  return points;
}

}  // namespace

TEST(SweepVerb, EveryCombinationIsARunThatNamesItsSweep) {
  const Home home;
  const auto output = shell(home, kSweep + "--grid batch=16,64 --grid precision=fp32,bf16 --name sizes --json");
  ASSERT_EQ(output.code, 0) << output.err;
  const auto sweep = output.json();
  const auto id = sweep["id"].get<std::string>();
  EXPECT_EQ(sweep["status"], "done");
  EXPECT_EQ(sweep["axes"][1]["values"], json({"fp32", "bf16"}));
  ASSERT_EQ(sweep["points"].size(), 4U);
  EXPECT_EQ(sweep["points"][1]["values"], json({{"batch", 16}, {"precision", "bf16"}}));
  auto registry = registry::Registry::open(home.folder());
  ASSERT_TRUE(registry.ok());
  int optimal = 0, number = 0;
  for (const auto& point : sweep["points"]) {
    EXPECT_EQ(point["status"], "done");
    EXPECT_EQ(point["variant"], std::to_string(++number));
    EXPECT_GT(point["samples_per_second"]["median"].get<double>(), 0);
    EXPECT_GT(point["peak_memory_bytes"]["total"].get<double>(), 0);
    optimal += point["pareto"] == true ? 1 : 0;
    const auto environment = environmentOf(home, point["run"].get<std::string>());
    EXPECT_EQ(environment["sweep"], id);
    EXPECT_EQ(environment["sweep_point"], point["values"]);
    const auto run = (*registry)->find(point["run"].get<std::string>());
    ASSERT_TRUE(run.ok());
    EXPECT_EQ(run->spec["batch"], point["values"]["batch"]);
    EXPECT_EQ(run->spec["precision"], point["values"]["precision"]);
    EXPECT_EQ(run->labels.name.find("sizes batch="), 0U) << run->labels.name;
    EXPECT_FALSE(run->summary.startup_milliseconds.has_value()) << "the process was not started for this point";
  }
  EXPECT_GE(optimal, 1);
  EXPECT_TRUE(sweep["points"][sweep["best"].get<std::size_t>()]["pareto"].get<bool>()) << "nothing is faster than the best";
  EXPECT_GT(sweep["drift"].get<double>(), 0);
  EXPECT_EQ(environmentOf(home, sweep["drift_run"].get<std::string>())["sweep_drift"], true);
  EXPECT_EQ((*registry)->list()->size(), 5U) << "four points and the drift check";
  const auto kept = (*registry)->sweep(id);
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(wire::toJson(*kept), sweep);
  EXPECT_EQ((*registry)->sweep("20200101-000000-000000").error().messages.front().id, "registry.no_sweep");
  EXPECT_EQ((*registry)->sweep("../x").error().messages.front().id, "registry.bad_id");
}

TEST(SweepVerb, PointsThatFailAreKeptWithTheirReasonAndTheRestIsMeasured) {
  const Home home;
  const auto output = shell(home, kSweep + "--memory-budget 48MiB --grid batch=16,4096,100000 --json");
  ASSERT_EQ(output.code, 0) << output.err;
  auto points = pointsByBatch(output.json());
  EXPECT_EQ(points[16]["status"], "done");
  EXPECT_TRUE(points[16]["pareto"].get<bool>());
  EXPECT_EQ(points[4096]["status"], "failed");
  EXPECT_EQ(points[4096]["failure"][0]["id"], "run.out_of_memory");
  EXPECT_FALSE(points[4096]["pareto"].get<bool>());
  EXPECT_EQ(points[100000]["failure"][0]["id"], "spec.batch_too_large");
  EXPECT_EQ(output.json()["best"], 0);
  EXPECT_FALSE(output.json().contains("drift")) << "one measured point has nothing to drift against";
  const auto runs = shell(home, "\"$E\" runs list --json").json();
  EXPECT_EQ(runs.size(), 3U) << "what failed is a run, too";
  const auto table = shell(home, kSweep + "--memory-budget 48MiB --grid batch=16,4096 --lang en");
  EXPECT_EQ(table.code, 0);
  EXPECT_NE(table.out.find("batch=4096: "), std::string::npos) << table.out;
  EXPECT_EQ(table.out.find("{"), std::string::npos) << "a text without its values";
}

TEST(SweepVerb, WhenEveryPointFailsSoDoesTheSweep) {
  const Home home;
  const auto output = shell(home, kSweep + "--memory-budget 1MiB --grid batch=16,32 --json");
  EXPECT_EQ(output.code, 4) << output.err;
  EXPECT_TRUE(output.json()["best"].is_null());
  EXPECT_EQ(output.json()["points"][1]["status"], "failed");
}

TEST(SweepVerb, ADeviceThatIsNotThereFailsItsPointsOnly) {
  const Home home;
  const auto mixed = shell(home, kSweep + "--grid device=cpu,cuda:77 --json");
  ASSERT_EQ(mixed.code, 0) << mixed.err;
  EXPECT_EQ(mixed.json()["points"][0]["status"], "done");
  EXPECT_EQ(mixed.json()["points"][1]["status"], "failed");
  EXPECT_FALSE(mixed.json()["points"][1]["failure"].empty());
  const Home other;
  EXPECT_EQ(shell(other, kSweep + "--grid device=cuda:77,cuda:78").code, 5) << "no point can be had: nothing is begun";
  EXPECT_EQ(shell(other, "\"$E\" runs list --json").json().size(), 0U);
}

TEST(SweepVerb, WrongGridsAreRefusedBeforeAnythingRuns) {
  const Home home;
  for (const char* grid :
       {"", "--grid batch", "--grid batch=", "--grid bacth=1,2", "--grid batch=1,1", "--grid batch=1 --grid batch=2",
        "--grid batch=1,x", "--grid precision=bf17", "--grid batch=$(seq -s, 201)", "--grid batch=1 --set nonsense=1"})
    EXPECT_EQ(shell(home, kSweep + grid).code, 2) << grid;
  const auto several = shell(home, kSweep + "--grid bacth=1 --grid precision=bf17 --set stpes=2 --lang en");
  EXPECT_NE(several.err.find("Did you mean batch?"), std::string::npos) << several.err;
  EXPECT_NE(several.err.find("bf17"), std::string::npos) << several.err;
  EXPECT_NE(several.err.find("Did you mean steps?"), std::string::npos) << several.err;
  EXPECT_EQ(shell(home, "\"$E\" runs list --json").json().size(), 0U);
}

TEST(SweepVerb, EventsTellEachPointUnderItsNumber) {
  const Home home;
  const auto output =
      shell(home,
            "echo '{\"model\":\"mlp\",\"data\":\"synthetic-images\",\"steps\":8,\"blocks\":2,\"warmup\":0,"
            "\"evaluate\":false,\"device\":\"cpu\"}' | \"$E\" sweep --events --spec - --grid batch=16,100000,32");
  ASSERT_EQ(output.code, 0) << output.err;
  std::istringstream lines(output.out);
  std::vector<wire::RunEvent> events;
  for (std::string line; std::getline(lines, line);) {
    const auto event = wire::decodeEvent(line);
    ASSERT_TRUE(event.ok()) << line;
    EXPECT_FALSE(std::holds_alternative<wire::UnknownEvent>(event->body)) << line;
    events.push_back(*event);
  }
  ASSERT_GE(events.size(), 2U);
  const auto* started = std::get_if<wire::SweepStarted>(&events.front().body);
  ASSERT_NE(started, nullptr);
  EXPECT_EQ(started->points, 3);
  EXPECT_EQ(started->axes.at(0).values, (std::vector<json>{16, 100000, 32}));
  const auto* finished = std::get_if<wire::SweepFinished>(&events.back().body);
  ASSERT_NE(finished, nullptr);
  EXPECT_EQ(finished->sweep.id, started->id);
  std::map<std::string, std::string> ends;  // by variant
  for (const auto& event : events) {
    if (std::holds_alternative<wire::RunFinished>(event.body)) ends[event.variant] = "finished";
    if (std::holds_alternative<wire::RunFailed>(event.body)) ends[event.variant] = "failed";
    if (const auto* run = std::get_if<wire::RunStarted>(&event.body)) {
      EXPECT_EQ(run->environment["sweep"], started->id);
    }
  }
  const std::map<std::string, std::string> wanted{{"1", "finished"}, {"2", "failed"}, {"3", "finished"}, {"4", "finished"}};
  EXPECT_EQ(ends, wanted) << "the fourth is the drift check";
}

TEST(SweepVerb, InterruptedKeepsWhatWasMeasured) {
  const Home home;
  const auto output = shell(home,
                            "\"$E\" sweep --model mlp --data synthetic-images --steps 1000000 --blocks 1000 --grid "
                            "batch=16,32,64 --json & pid=$!; sleep 4; kill -INT $pid; wait $pid");
  ASSERT_EQ(output.code, 130) << output.err;
  const auto sweep = output.json();
  EXPECT_EQ(sweep["status"], "interrupted");
  std::multiset<std::string> statuses;
  for (const auto& point : sweep["points"]) statuses.insert(point["status"].get<std::string>());
  EXPECT_EQ(statuses, (std::multiset<std::string>{"interrupted", "not_run", "not_run"}));
  auto registry = registry::Registry::open(home.folder());
  ASSERT_TRUE(registry.ok());
  const auto kept = (*registry)->sweep(sweep["id"].get<std::string>());
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(kept->status, "interrupted");
}

TEST(SweepVerb, HelpSaysHowPointsAreOrdered) {
  const Home home;
  const auto english = shell(home, "\"$E\" sweep --help --lang en"), french = shell(home, "\"$E\" sweep --help --lang fr");
  EXPECT_EQ(english.code, 0);
  EXPECT_NE(english.out.find("shuffled order (seed 1"), std::string::npos) << english.out;
  EXPECT_NE(french.out.find("--grid"), std::string::npos);
  EXPECT_EQ(french.out.find("cli."), std::string::npos) << "a text is missing";
}

}  // namespace atelier::worker
