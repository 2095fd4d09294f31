// Why a race saw little: each reason is looked for in what both runs measured, stage by stage and sample for sample.
#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "rule_tools.h"

namespace atelier::trace {
namespace {

using namespace rules;
using Messages = std::vector<wire::Message>;

// Of a step: what a change of a smaller part brings drowns in the noise.
constexpr double kSmallPart = 0.25;
// Waiting for data of this share decides the speed, whatever else is changed.
constexpr double kDataDecides = 0.30;
// Both runs are bound by a stage that takes more than this of each, and as long in both within a tenth.
constexpr double kBound = 0.40, kAlike = 0.10;
// An interval wider than this around 1 can hide a gain worth having.
constexpr double kWide = 0.04;

// What a change of a key can speed up.
enum class Part { Data, Compute, Optimizer };

struct KeyPart {
  std::string_view key;
  Part part;
};

constexpr std::array<KeyPart, 13> kParts{{{"workers", Part::Data},
                                          {"prefetch", Part::Data},
                                          {"pinned", Part::Data},
                                          {"non_blocking", Part::Data},
                                          {"persistent", Part::Data},
                                          {"precision", Part::Compute},
                                          {"channels_last", Part::Compute},
                                          {"compile", Part::Compute},
                                          {"attention", Part::Compute},
                                          {"threads", Part::Compute},
                                          {"checkpointing", Part::Compute},
                                          {"fused", Part::Optimizer},
                                          {"optimizer", Part::Optimizer}}};

// ns a sample.
struct Costs {
  double data = 0, compute = 0, optimizer = 0, other = 0, wall = 0;
  double of(Part part) const { return part == Part::Data ? data : part == Part::Compute ? compute : optimizer; }
  double share(double part) const { return wall > 0 ? part / wall : 0; }
};

std::optional<Costs> costsOf(const wire::RunSummary& run) {
  if (run.stages.wall <= 0) return std::nullopt;
  // The stages are those of the blocks that count, the samples those of all: the rate joins the two.
  const double rate = run.samples_per_second ? run.samples_per_second->median : 0;
  const double scale = rate > 0 ? 1e9 / rate / static_cast<double>(run.stages.wall)
                                : 1 / static_cast<double>(std::max<std::int64_t>(1, run.samples));
  const auto of = [&](std::int64_t ns) { return scale * static_cast<double>(ns); };
  const auto& s = run.stages;
  return Costs{of(s.data), of(s.forward + s.backward), of(s.optimizer), of(s.other), of(s.wall)};
}

std::vector<std::string> changedKeys(const nlohmann::json& a, const nlohmann::json& b) {
  std::set<std::string> keys;
  for (const auto* spec : {&a, &b})
    if (spec->is_object())
      for (const auto& [key, value] : spec->items()) keys.insert(key);
  std::erase_if(keys, [&](const std::string& key) {
    const auto inA = a.is_object() ? a.find(key) : a.end(), inB = b.is_object() ? b.find(key) : b.end();
    return inA != a.end() && inB != b.end() && *inA == *inB;
  });
  return {keys.begin(), keys.end()};
}

std::optional<Part> partOf(const std::string& key) {
  for (const auto& known : kParts)
    if (known.key == key) return known.part;
  return std::nullopt;
}

void sayBusy(Messages& said, const wire::RaceSummary& race, const std::vector<Finding>& findings) {
  const bool found = std::any_of(findings.begin(), findings.end(), [](const Finding& f) { return f.rule == "busy_machine"; });
  if (race.verdict == "machine-busy" || found)
    said.push_back(
        {"no_gain.machine_busy", {{"pairs", std::to_string(race.pairs)}, {"discarded", std::to_string(race.discarded_pairs)}}});
}

// The change speeds up a part that is small, or did not speed it up at all.
void sayOfKey(Messages& said, const std::string& key, const Costs& a, const Costs& b) {
  const auto part = partOf(key);
  if (!part) return;
  const double share = a.share(a.of(*part));
  const char* small = *part == Part::Data      ? "no_gain.small_data"
                      : *part == Part::Compute ? "no_gain.small_compute"
                                               : "no_gain.small_optimizer";
  if (share < kSmallPart) {
    said.push_back({small, {{"key", key}, {"percent", percent(share)}, {"ratio", figure(1 / std::max(1e-3, 1 - share))}}});
    return;
  }
  const double ratio = a.of(*part) > 0 ? b.of(*part) / a.of(*part) : 1;
  if (ratio > 1 + kAlike) said.push_back({"no_gain.part_slower", {{"key", key}, {"times", figure(ratio)}}});
  else if (ratio > 1 - kAlike) said.push_back({"no_gain.part_unmoved", {{"key", key}, {"percent", percent(share)}}});
}

// What both runs spend most of their time on.
void sayBound(Messages& said, const Costs& a, const Costs& b) {
  const std::array<std::pair<const char*, double Costs::*>, 4> stages{{{"no_gain.bound_data", &Costs::data},
                                                                       {"no_gain.bound_compute", &Costs::compute},
                                                                       {"no_gain.bound_optimizer", &Costs::optimizer},
                                                                       {"no_gain.bound_other", &Costs::other}}};
  for (const auto& [id, stage] : stages) {
    const double inA = a.*stage, inB = b.*stage;
    if (a.share(inA) < kBound || b.share(inB) < kBound) continue;
    if (inB < inA * (1 - kAlike) || inB > inA * (1 + kAlike)) continue;
    said.push_back({id, {{"percent", percent(a.share(inA))}, {"percent_b", percent(b.share(inB))}}});
  }
}

// What the change gained in one part another part lost.
void sayEatenUp(Messages& said, const Costs& a, const Costs& b) {
  const double gained = std::max({0.0, a.data - b.data, a.compute - b.compute, a.optimizer - b.optimizer, a.other - b.other});
  const double lost = std::max({0.0, b.data - a.data, b.compute - a.compute, b.optimizer - a.optimizer, b.other - a.other});
  if (gained > kAlike * a.wall && lost > gained / 2)
    said.push_back({"no_gain.eaten_up", {{"gained", percent(gained / a.wall)}, {"lost", percent(lost / a.wall)}}});
}

void sayOfFindings(Messages& said, const std::vector<Finding>& findings, bool dataSaid) {
  for (const auto& finding : findings) {
    if (finding.rule == "input_bound" && !dataSaid)
      said.push_back({"no_gain.data_decides", {{"percent", percent(finding.share)}}});
    if (finding.rule == "launch_bound") said.push_back({"no_gain.overhead", {{"percent", percent(finding.share)}}});
    if (finding.rule == "dominant_operator" && !finding.operators.empty())
      said.push_back({"no_gain.dominant", {{"operator", finding.operators.front()}, {"percent", percent(finding.share)}}});
  }
}

void sayNoise(Messages& said, const wire::RaceSummary& race) {
  if (!race.ratio || race.ratio->low >= 1 || race.ratio->high <= 1) return;
  if (race.ratio->high - race.ratio->low < kWide) return;
  said.push_back({"no_gain.inside_noise", {{"low", figure(race.ratio->low)}, {"high", figure(race.ratio->high)}}});
}

}  // namespace

std::vector<wire::Message> whyNoGain(const wire::RaceSummary& race, const nlohmann::json& specA, const nlohmann::json& specB,
                                     const std::vector<Finding>& findings) {
  Messages said;
  sayBusy(said, race, findings);
  const auto keys = changedKeys(specA, specB);
  if (keys.empty()) said.push_back({"no_gain.same_spec"});
  const auto a = costsOf(race.a), b = costsOf(race.b);
  bool dataSaid = false;
  if (a && b) {
    const bool dataChanged =
        std::any_of(keys.begin(), keys.end(), [](const std::string& key) { return partOf(key) == Part::Data; });
    if (!dataChanged && b->share(b->data) >= kDataDecides) {
      said.push_back({"no_gain.data_decides", {{"percent", percent(b->share(b->data))}}});
      dataSaid = true;
    }
    for (const auto& key : keys) sayOfKey(said, key, *a, *b);
    sayEatenUp(said, *a, *b);
    if (!keys.empty() && !dataSaid) sayBound(said, *a, *b);
  }
  sayOfFindings(said, findings, dataSaid);
  sayNoise(said, race);
  if (said.empty()) said.push_back({"no_gain.unknown"});
  return said;
}

}  // namespace atelier::trace
