// What a home of many runs costs: opening the registry and listing it, filtering, sorting, and an archive of some. Run by
// hand, from the repository's root; no Torch, no Qt:
//   g++ -std=c++20 -O2 -I. tests/bench/registry_list.cpp core/registry/*.cpp core/wire/*.cpp CATALOG.cpp -lsqlite3 -larchive
//   -lz
// where CATALOG.cpp is build/release/core/catalog_files.cpp or any other definition of atelier::wire::catalogFiles().
// Usage: registry_list [RUNS, default 10000]. The home is temporary; its index is warm when the clock starts, as in a window.
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "core/registry/archive.h"
#include "core/registry/query.h"

namespace {

namespace fs = std::filesystem;
using namespace atelier;
using Clock = std::chrono::steady_clock;

constexpr int kRepeats = 7;

double milliseconds(const std::function<void()>& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// The median of the repeats and their range; and the processor's time, which a busy machine disturbs less.
void tell(const char* what, const std::function<void()>& work) {
  std::vector<double> times;
  const auto begin = std::clock();
  for (int i = 0; i < kRepeats; ++i) times.push_back(milliseconds(work));
  const double processor = 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / kRepeats;
  std::sort(times.begin(), times.end());
  std::printf("%-48s %8.1f ms   [%.1f, %.1f]   processor %.1f ms\n", what, times[kRepeats / 2], times.front(), times.back(),
              processor);
}

nlohmann::json spec(int i) {
  static const char* const models[] = {"mlp", "cnn", "resnet18"};
  static const char* const precisions[] = {"fp32", "bf16"};
  return {{"batch", 32 << i % 5},
          {"blocks", 10},
          {"channels_last", i % 2 == 0},
          {"clip_norm", 0.0},
          {"data", "fashion-mnist"},
          {"deterministic", false},
          {"device", "auto"},
          {"drop_last", false},
          {"epochs", 0},
          {"evaluate", true},
          {"fused", i % 3 == 0},
          {"label_smoothing", 0.0},
          {"learning_rate", 0.001},
          {"memory_budget", 0},
          {"mode", "train"},
          {"model", models[i % 3]},
          {"momentum", 0.9},
          {"naive", false},
          {"optimizer", "adamw"},
          {"pinned", false},
          {"precision", precisions[i % 2]},
          {"prefetch", 2},
          {"schedule", "none"},
          {"seed", i},
          {"steps", 60},
          {"threads", 0},
          {"warmup", 10},
          {"weight_decay", 0.01},
          {"workers", 0}};
}

wire::RunSummary summary(const std::string& id, int i) {
  wire::RunSummary s;
  s.id = id;
  s.seed = i;
  s.steps = 72;
  s.samples = 9216;
  s.optimizer_steps = 77;
  const double rate = 1000 + 3.25 * (i * 7919 % 1000);
  s.samples_per_second = wire::Interval{rate, rate * 0.98, rate * 1.03, 12};
  s.step_p50 = 128e3 / rate;
  s.step_p90 = 140e3 / rate;
  s.step_p99 = 170e3 / rate;
  s.first_step_milliseconds = 85.131312;
  s.startup_milliseconds = 3149.8388279997016;
  s.peak_memory_bytes = {76119528 + i, 1688120, 19273260, 3374720, 51380996, 402432 + i};
  s.rss_bytes = 319803392;
  s.cpu_percent = 99.34353033549827;
  s.stages = {14608065, 1768910730, 3553518258, 151887622, 24768182, 5513692857};
  s.loss = 0.4357505391041438;
  s.accuracy = 0.8 + i % 1000 * 1e-4;
  s.evaluated = 10000;
  s.blocks = 12;
  return s;
}

void put(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

// As RunWriter leaves a run, without its syncs, which would take minutes.
void makeRuns(const fs::path& home, int count) {
  for (int i = 0; i < count; ++i) {
    char id[32];
    std::snprintf(id, sizeof id, "202611%02d-%02d%02d%02d-%03x%03x", 1 + i / 480 % 28, i / 20 % 24, i % 60, i * 7 % 60,
                  static_cast<unsigned>(i) % 4096, static_cast<unsigned>(i * 31) % 4096);
    const auto folder = home / "runs" / id;
    fs::create_directories(folder);
    put(folder / "spec.json", spec(i).dump(2));
    put(folder / "environment.json", nlohmann::json{{"cpu", "AMD EPYC"}, {"cores", 2}, {"torch", "2.11.0"}}.dump(2));
    put(folder / "events.jsonl", wire::encodeEvent({0, 0, "", wire::RunFinished{summary(id, i)}}) + "\n");
    put(folder / "summary.json", wire::toJson(summary(id, i)).dump(2));
    if (i % 10 == 0) put(folder / "labels.json", R"({"name":"named","note":"","tags":["slow"],"pinned":false})");
    fs::last_write_time(folder, fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
}

std::unique_ptr<registry::Registry> openHome(const fs::path& home) {
  auto opened = registry::Registry::open(home);
  if (!opened) std::exit(1);
  return std::move(*opened);
}

void tellQueries(std::vector<registry::RunRecord> runs) {
  for (const char* text : {"resnet bf16", "samples_per_second > 3000 and precision = bf16", "tag = slow or note ~ nothing"}) {
    const auto query = registry::Query::parse(text);
    std::size_t found = 0;
    tell(text, [&] {
      found = 0;
      for (const auto& run : runs) found += query->matches(run);
    });
    std::printf("%48s %zu runs\n", "", found);
  }
  tell("sort by peak_memory", [&] { registry::sortRuns(runs, "peak_memory", true); });
}

// A byte changed, or the end cut off, by turns: refused, or (where no byte of a run is concerned) read.
void tellDamaged(const fs::path& home, const std::string& sound) {
  std::mt19937 random(1);
  int refused = 0, rounds = 0;
  tell("refuse a damaged archive", [&] {
    auto bytes = sound;
    if (++rounds % 2 == 0) bytes.resize(random() % bytes.size());
    else bytes[random() % bytes.size()] ^= static_cast<char>(1 + random() % 255);
    put(home / "damaged.atelier", bytes);
    refused += !registry::importRuns(home / "damaged", home / "damaged.atelier").ok();
  });
  std::printf("%48s %d of %d refused\n", "", refused, rounds);
}

void tellArchives(registry::Registry& store, const fs::path& home) {
  const auto newest = store.list(200);
  std::vector<std::string> ids;
  for (const auto& run : *newest) ids.push_back(run.id);
  const auto file = home / "some.atelier";
  tell("export 200 runs", [&] {
    if (!registry::exportRuns(store, ids, file)) std::exit(3);
  });
  tell("read an archive of 200", [&] {
    if (registry::readArchive(file)->size() != ids.size()) std::exit(4);
  });
  tellDamaged(home, *registry::readWhole(file));
  int at = 0;
  tell("import 200 runs", [&] {
    const auto imported = registry::importRuns(home / ("other" + std::to_string(at++)), file);
    if (!imported || imported->runs.size() != ids.size()) std::exit(5);
  });
  const auto again = registry::importRuns(home, file);
  std::printf("%48s again: %zu new, %zu there already, %zu other\n", "", again->runs.size(), again->present.size(),
              again->refused.size());
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 10000;
  auto pattern = (fs::temp_directory_path() / "atelier-bench-XXXXXX").string();
  const fs::path home = ::mkdtemp(pattern.data());
  makeRuns(home, count);
  std::printf("%d runs\n", count);
  std::printf("%-48s %8.1f ms\n", "first list, no index",
              milliseconds([&] { static_cast<void>(openHome(home)->list(count)); }));
  tell("open and list all", [&] {
    if (openHome(home)->list(count)->size() != static_cast<std::size_t>(count)) std::exit(2);
  });
  const auto store = openHome(home);
  tell("list all again", [&] { static_cast<void>(store->list(count)); });
  tell("list the newest 50", [&] { static_cast<void>(store->list(50)); });
  tellQueries(*store->list(count));
  tellArchives(*store, home);
  std::error_code ignored;
  fs::remove_all(home, ignored);
  return 0;
}
