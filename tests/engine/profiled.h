// A small CNN under the profiler, and what tests ask of its trace.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/engine/profile/profiler.h"
#include "core/engine/session/plan.h"
#include "installed_memory.h"

namespace atelier::engine::profiled {

inline constexpr std::int64_t kBatch = 16;

// What this thread allocates from now on is no trainer's.
inline void withoutBudget() {
  installedMemory().use(installedMemory().newAccount(0));
}

inline Plan planOf(const nlohmann::json& keys) {
  auto all =
      nlohmann::json{{"model", "cnn"}, {"data", "synthetic-images"}, {"device", "cpu"}, {"batch", kBatch}, {"threads", 1}};
  all.update(keys);
  withoutBudget();
  DataCache cache;
  return *makePlan(*wire::RunSpec::parse(*engineSchema(), all), cache);
}

inline Trainer trainerOf(const nlohmann::json& keys = nlohmann::json::object()) {
  return Trainer(planOf(keys), installedMemory());
}

struct Profiled {
  trace::Trace trace;
  std::vector<wire::Message> notices;
  std::int64_t steps = 0;  // that it took
};

inline Profiled profile(Trainer& trainer, const ProfileOptions& options = {}) {
  trainer.activate();
  Profiler profiler(trainer, options);
  std::int64_t steps = 0;
  for (; !profiler.done(); ++steps) {
    profiler.beginStep();
    trainer.step();
    profiler.endStep();
  }
  auto trace = profiler.take();
  return {std::move(trace), profiler.notices(), steps};
}

inline std::vector<const trace::Event*> eventsOf(const trace::Trace& trace, std::string_view name) {
  std::vector<const trace::Event*> found;
  for (const auto& event : trace.events)
    if (trace.nameOf(event) == name) found.push_back(&event);
  return found;
}

inline std::vector<const trace::Event*> eventsOf(const trace::Trace& trace, trace::Kind kind) {
  std::vector<const trace::Event*> found;
  for (const auto& event : trace.events)
    if (event.kind == kind) found.push_back(&event);
  return found;
}

inline std::set<std::string> modulesOf(const trace::Trace& trace, const std::vector<const trace::Event*>& events) {
  std::set<std::string> paths;
  for (const auto* event : events)
    paths.insert(event->module < 0 ? "none" : trace.modules[static_cast<std::size_t>(event->module)].path);
  return paths;
}

// Live bytes after all that the trace says.
inline std::int64_t liveAtEnd(const trace::Trace& trace, trace::Category category) {
  auto bytes = trace.memory_at_start.bytes[static_cast<std::size_t>(category)];
  for (const auto& one : trace.memory)
    if (one.device < 0 && one.category == category) bytes += one.bytes;
  return bytes;
}

inline void expectMemoryIsTheAccounts(const trace::Trace& trace, Trainer& trainer) {
  const auto live = trainer.memory().live();
  EXPECT_EQ(liveAtEnd(trace, trace::Category::Weights), live.weights);
  EXPECT_EQ(liveAtEnd(trace, trace::Category::Gradients), live.gradients);
  EXPECT_EQ(liveAtEnd(trace, trace::Category::Optimizer), live.optimizer);
  EXPECT_EQ(liveAtEnd(trace, trace::Category::Activations), live.activations);
  EXPECT_EQ(liveAtEnd(trace, trace::Category::Other), live.other);
  EXPECT_EQ(liveAtEnd(trace, trace::Category::Unknown), 0);
}

}  // namespace atelier::engine::profiled
