#include "checklist.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/wire/csv.h"
#include "core/wire/json_read.h"
#include "core/wire/number.h"

namespace atelier::lab {
namespace {

using nlohmann::json;
using Kind = ChecklistEvidence::Kind;

// What changes how long a run is looked at, and not how fast it is.
const std::set<std::string>& lookKeys() {
  static const std::set<std::string> kKeys{"seed",   "steps",    "epochs", "warmup",
                                           "blocks", "evaluate", "naive",  "stop_when_decided"};
  return kKeys;
}

bool belongs(const ChecklistItem& item, const std::string& key) {
  return std::find(item.keys.begin(), item.keys.end(), key) != item.keys.end();
}

json wholeSpec(const json& spec, const json& defaults) {
  auto whole = defaults.is_object() ? defaults : json::object();
  if (spec.is_object()) whole.update(spec);
  return whole;
}

// Of `to` the keys in which it is not as `from`; a key that it has not is null there.
json differing(const json& from, const json& to) {
  auto change = json::object();
  for (const auto& [key, value] : to.items()) {
    const auto other = from.find(key);
    if (other == from.end() || *other != value) change[key] = value;
  }
  for (const auto& [key, value] : from.items())
    if (!to.contains(key)) change[key] = nullptr;
  return change;
}

std::optional<double> over(std::int64_t with, std::int64_t without) {
  if (with <= 0 || without <= 0) return std::nullopt;
  return static_cast<double>(with) / static_cast<double>(without);
}

bool isPositive(const wire::Interval& interval) {
  return interval.low > 0 && std::isfinite(interval.high);
}

wire::Interval inverse(const wire::Interval& ratio) {
  return {1 / ratio.median, 1 / ratio.high, 1 / ratio.low, ratio.count};
}

std::string inverse(const std::string& verdict) {
  if (verdict == "faster") return "slower";
  return verdict == "slower" ? "faster" : verdict;
}

// The widest that the two intervals allow: nothing was measured by turns.
std::optional<wire::Interval> apartRatio(const wire::RunSummary& with, const wire::RunSummary& without) {
  if (!with.samples_per_second || !without.samples_per_second) return std::nullopt;
  const auto &top = *with.samples_per_second, &bottom = *without.samples_per_second;
  if (!isPositive(top) || !isPositive(bottom)) return std::nullopt;
  return wire::Interval{top.median / bottom.median, top.low / bottom.high, top.high / bottom.low,
                        std::min(top.count, bottom.count)};
}

bool decided(const ChecklistEvidence& evidence) {
  return evidence.ratio && evidence.verdict != "machine-busy";
}

int strength(const std::optional<ChecklistEvidence>& evidence) {
  if (!evidence) return -1;
  return 2 * static_cast<int>(evidence->kind) + (decided(*evidence) ? 1 : 0);
}

class Filling {
 public:
  explicit Filling(const ChecklistSources& sources) : m_sources(sources) {
    m_specs.reserve(sources.runs.size());
    for (std::size_t i = 0; i < sources.runs.size(); ++i) {
      m_specs.push_back(wholeSpec(sources.runs[i].spec, sources.defaults));
      m_places.emplace(sources.runs[i].id, i);
    }
  }

  ChecklistEntry entry(const ChecklistItem& item) const {
    ChecklistEntry entry;
    entry.item = &item;
    takeRuns(entry);
    if (item.aim != ChecklistItem::Aim::Look) {
      takePairs(entry);
      takeRaces(entry);
    }
    takeBase(entry);
    return entry;
  }

 private:
  bool trained(std::size_t run) const {
    const auto mode = wire::textAt(m_specs[run], "mode");
    return m_sources.runs[run].summary.status == "done" && (mode.empty() || mode == "train");
  }

  // The first of the strongest stays: what comes first is newer.
  static void take(ChecklistEntry& entry, ChecklistEvidence evidence) {
    std::optional<ChecklistEvidence> one(std::move(evidence));
    if (strength(one) > strength(entry.best)) entry.best = std::move(one);
  }

  ChecklistEvidence evidenceOf(Kind kind, std::size_t with) const {
    ChecklistEvidence evidence;
    evidence.kind = kind;
    evidence.with = m_sources.runs[with].id;
    const auto &batch = wire::memberAt(m_specs[with], "batch"), &parts = wire::memberAt(m_specs[with], "accumulation");
    if (batch.is_number_integer())
      evidence.effective_batch =
          batch.get<std::int64_t>() * (parts.is_number_integer() ? std::max<std::int64_t>(1, parts.get<std::int64_t>()) : 1);
    return evidence;
  }

  ChecklistEvidence evidenceOf(Kind kind, std::size_t with, std::size_t without) const {
    auto evidence = evidenceOf(kind, with);
    const auto &top = m_sources.runs[with].summary.peak_memory_bytes,
               &bottom = m_sources.runs[without].summary.peak_memory_bytes;
    evidence.without = m_sources.runs[without].id;
    evidence.memory = over(top.total, bottom.total);
    evidence.activations = over(top.activations, bottom.activations);
    evidence.change = differing(m_specs[without], m_specs[with]);
    return evidence;
  }

  void takeRuns(ChecklistEntry& entry) const {
    for (std::size_t i = 0; i < m_specs.size(); ++i) {
      if (m_sources.runs[i].summary.status != "done" || !entry.item->on(m_specs[i])) continue;
      if (entry.runs++ > 0) continue;
      auto evidence = evidenceOf(Kind::Used, i);
      evidence.change = json::object();
      for (const auto& key : entry.item->keys)
        if (m_specs[i].contains(key)) evidence.change[key] = m_specs[i][key];
      take(entry, std::move(evidence));
    }
  }

  // All that a run is, its machine too, but for the item and for how long it was looked at.
  std::string remainder(const ChecklistItem& item, std::size_t run) const {
    auto rest = json::object();
    for (const auto& [key, value] : m_specs[run].items())
      if (!belongs(item, key) && !lookKeys().contains(key)) rest[key] = value;
    // Of a batch that is parted the whole is what must be alike.
    if (belongs(item, "batch")) rest["batch"] = evidenceOf(Kind::Used, run).effective_batch;
    const auto machine = m_sources.machines.find(m_sources.runs[run].id);
    rest[""] = machine == m_sources.machines.end() ? std::string() : machine->second;
    return rest.dump(-1, ' ', false, json::error_handler_t::replace);
  }

  void takePairs(ChecklistEntry& entry) const {
    if (entry.runs == 0) return;
    std::unordered_map<std::string, std::size_t> without;
    for (std::size_t i = 0; i < m_specs.size(); ++i)
      if (trained(i) && !entry.item->on(m_specs[i])) without.emplace(remainder(*entry.item, i), i);
    for (std::size_t i = 0; i < m_specs.size(); ++i) {
      if (!trained(i) || !entry.item->on(m_specs[i])) continue;
      const auto partner = without.find(remainder(*entry.item, i));
      if (partner == without.end()) continue;
      auto evidence = evidenceOf(Kind::Apart, i, partner->second);
      evidence.ratio = apartRatio(m_sources.runs[i].summary, m_sources.runs[partner->second].summary);
      if (!evidence.ratio) continue;
      return take(entry, std::move(evidence));
    }
  }

  void takeRaces(ChecklistEntry& entry) const {
    for (auto race = m_sources.races.rbegin(); race != m_sources.races.rend(); ++race) {
      bool counted = false;
      for (const auto& comparison : race->second.comparisons()) {
        auto evidence = raced(*entry.item, race->second, comparison);
        if (!evidence) continue;
        if (!std::exchange(counted, true)) ++entry.races;
        evidence->race = race->first;
        take(entry, std::move(*evidence));
      }
    }
  }

  // nullopt: the item is no difference between the two, or nothing was measured.
  std::optional<ChecklistEvidence> raced(const ChecklistItem& item, const wire::RaceSummary& race,
                                         const wire::Comparison& comparison) const {
    const auto a = m_places.find(race.a.id), b = m_places.find(comparison.summary.id);
    if (a == m_places.end() || b == m_places.end() || !comparison.ratio || !isPositive(*comparison.ratio)) return std::nullopt;
    const bool onA = item.on(m_specs[a->second]), onB = item.on(m_specs[b->second]);
    if (onA == onB) return std::nullopt;
    const auto with = onB ? b->second : a->second, without = onB ? a->second : b->second;
    auto evidence = evidenceOf(Kind::Raced, with, without);
    for (const auto& [key, value] : evidence.change.items())
      if (!belongs(item, key) && !lookKeys().contains(key)) evidence.kind = Kind::Together;
    evidence.ratio = onB ? *comparison.ratio : inverse(*comparison.ratio);
    evidence.verdict = onB ? comparison.verdict : inverse(comparison.verdict);
    if (race.a.accuracy || race.a.loss) evidence.same_quality = comparison.same_quality;
    return evidence;
  }

  // A profiled run is slowed down by that: it is what to begin from only where there is no other.
  void takeBase(ChecklistEntry& entry) const {
    std::optional<std::size_t> base;
    for (std::size_t i = 0; i < m_specs.size() && !base; ++i)
      if (trained(i) && !entry.item->on(m_specs[i]) && !looked(i)) base = i;
    for (std::size_t i = 0; i < m_specs.size() && !base; ++i)
      if (trained(i) && !entry.item->on(m_specs[i])) base = i;
    if (base) entry.base = m_sources.runs[*base].id;
    entry.offer = entry.item->offer(base ? m_specs[*base] : wholeSpec({}, m_sources.defaults));
  }

  bool looked(std::size_t run) const {
    const auto& items = checklistItems();
    return std::any_of(items.begin(), items.end(), [&](const ChecklistItem& item) {
      return item.aim == ChecklistItem::Aim::Look && item.on(m_specs[run]);
    });
  }

  const ChecklistSources& m_sources;
  std::vector<json> m_specs;  // one a run, whole
  std::unordered_map<std::string, std::size_t> m_places;
};

std::string numberCell(std::optional<double> value) {
  return value ? wire::numberText(*value) : std::string();
}

}  // namespace

int Checklist::tried() const {
  return static_cast<int>(
      std::count_if(entries.begin(), entries.end(), [](const ChecklistEntry& entry) { return entry.best.has_value(); }));
}

std::optional<double> Checklist::product() const {
  std::optional<double> product;
  for (const auto& entry : entries)
    if (entry.best && entry.best->kind == Kind::Raced && entry.best->verdict == "faster" && entry.best->ratio)
      product = product.value_or(1) * entry.best->ratio->median;
  return product;
}

Checklist fillChecklist(const ChecklistSources& sources) {
  const Filling filling(sources);
  Checklist checklist;
  for (const auto& item : checklistItems()) checklist.entries.push_back(filling.entry(item));
  return checklist;
}

const char* stateName(const std::optional<ChecklistEvidence>& evidence) {
  if (!evidence) return "not_tried";
  switch (evidence->kind) {
    case Kind::Used:
      return "used";
    case Kind::Apart:
      return "apart";
    case Kind::Together:
      return "raced_with_others";
    case Kind::Raced:
      break;
  }
  return "raced";
}

std::string toCsv(const Checklist& checklist) {
  auto text = wire::csvRow({"item", "state", "ratio", "ratio_low", "ratio_high", "verdict", "peak_memory_ratio",
                            "activations_ratio", "effective_batch", "same_quality", "race", "with", "without"});
  for (const auto& entry : checklist.entries) {
    const auto best = entry.best.value_or(ChecklistEvidence());
    const auto bound = [&](double wire::Interval::*which) {
      return best.ratio ? wire::numberText((*best.ratio).*which) : std::string();
    };
    text +=
        wire::csvRow({entry.item->id, stateName(entry.best), bound(&wire::Interval::median), bound(&wire::Interval::low),
                      bound(&wire::Interval::high), best.verdict, numberCell(best.memory), numberCell(best.activations),
                      best.effective_batch > 0 ? std::to_string(best.effective_batch) : std::string(),
                      best.same_quality ? (*best.same_quality ? "true" : "false") : "", best.race, best.with, best.without});
  }
  return text;
}

}  // namespace atelier::lab
