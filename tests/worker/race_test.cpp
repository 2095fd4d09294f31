// Races of more than two variants, as a script runs them.
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "core/registry/registry.h"
#include "core/wire/run_event.h"
#include "program.h"

namespace atelier::worker {
namespace {

const std::string kRace =
    "\"$E\" race --model mlp --data synthetic-images --device cpu --steps 24 --warmup 1 --blocks 6 --batch 32 --set "
    "evaluate=false ";

}  // namespace

TEST(RaceVerb, FourVariantsAreEachComparedWithA) {
  const Home home;
  const auto output = shell(home, kRace + "--b batch=64 --c fused=true --d threads=1 --d batch=16 --json");
  ASSERT_EQ(output.code, 0) << output.err;
  const auto race = output.json();
  EXPECT_EQ(race["a"]["variant"], "a");
  EXPECT_EQ(race["b"]["variant"], "b");
  ASSERT_EQ(race["others"].size(), 2U);
  EXPECT_EQ(race["others"][1]["variant"], "d");
  EXPECT_EQ(race["planned_pairs"], 6);
  EXPECT_EQ(race["stopped_early"], false);
  for (const char* key : {"summary", "ratio", "verdict", "same_quality", "pairs", "discarded_pairs"})
    EXPECT_TRUE(race["others"][0].contains(key)) << key;
  auto registry = registry::Registry::open(home.folder());
  ASSERT_TRUE(registry.ok());
  const auto runs = (*registry)->list();
  ASSERT_TRUE(runs.ok());
  ASSERT_EQ(runs->size(), 4U);
  std::set<std::string> races, variants;
  for (const auto& run : *runs) {
    races.insert(run.race);
    variants.insert(run.summary.variant);
    if (run.summary.variant == "d") {
      EXPECT_EQ(run.spec["threads"], 1);
      EXPECT_EQ(run.spec["batch"], 16);
    }
  }
  ASSERT_EQ(races.size(), 1U);
  EXPECT_EQ(variants, (std::set<std::string>{"a", "b", "c", "d"}));
  const auto kept = (*registry)->race(*races.begin());
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(wire::toJson(*kept), race);
}

TEST(RaceVerb, ATableHasAColumnAVariantAndASentenceAComparison) {
  const Home home;
  const auto output = shell(home, kRace + "--b batch=64 --c batch=16 --lang en");
  ASSERT_EQ(output.code, 0) << output.err;
  EXPECT_NE(output.out.find("learn"), std::string::npos) << output.out;
  EXPECT_NE(output.out.find("\nB "), std::string::npos) << output.out;
  EXPECT_NE(output.out.find("\nC "), std::string::npos) << output.out;
  EXPECT_EQ(output.out.find("{"), std::string::npos) << "a text without its values";
}

TEST(RaceVerb, NamesTheMistakesOfEveryVariant) {
  const Home home;
  const auto alone = shell(home, kRace + "--d batch=64 --lang en");
  EXPECT_EQ(alone.code, 2);
  EXPECT_NE(alone.err.find("--c"), std::string::npos) << alone.err;
  const auto output = shell(home, kRace + "--b bacth=1 --c precision=bf17 --c x --lang en");
  EXPECT_EQ(output.code, 2);
  EXPECT_NE(output.err.find("Did you mean batch?"), std::string::npos) << output.err;
  EXPECT_NE(output.err.find("bf17"), std::string::npos) << output.err;
  EXPECT_NE(output.err.find("KEY=VALUE"), std::string::npos) << output.err;
  EXPECT_EQ(shell(home, "\"$E\" run --c batch=1").code, 2) << "a run has no variants";
  EXPECT_EQ(shell(home, "\"$E\" runs list --json").json().size(), 0U);
}

TEST(RaceVerb, EventsTellEachComparison) {
  const Home home;
  const auto output = shell(home, kRace + "--b batch=64 --c batch=16 --set stop_when_decided=true --events");
  ASSERT_EQ(output.code, 0) << output.err;
  std::istringstream lines(output.out);
  std::set<std::string> compared, variants;
  std::string last;
  for (std::string line; std::getline(lines, line); last = line) {
    const auto event = wire::decodeEvent(line);
    ASSERT_TRUE(event.ok()) << line;
    variants.insert(event->variant);
    if (const auto* update = std::get_if<wire::RaceUpdated>(&event->body)) compared.insert(update->variant);
  }
  EXPECT_EQ(compared, (std::set<std::string>{"b", "c"}));
  EXPECT_EQ(variants, (std::set<std::string>{"", "a", "b", "c"}));
  const auto finished = wire::decodeEvent(last);
  ASSERT_TRUE(finished.ok());
  ASSERT_TRUE(std::holds_alternative<wire::RaceFinished>(finished->body)) << last;
  EXPECT_EQ(std::get<wire::RaceFinished>(finished->body).race.runs().size(), 3U);
}

}  // namespace atelier::worker
