#include "summary.h"

#include "json_read.h"
#include "number.h"

namespace atelier::wire {
namespace {

using nlohmann::json;

// Exact for every integer that fits; of fractions the whole part; 0 for what is none.
std::int64_t integerAt(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return 0;
  if (found->is_number_unsigned() && found->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) return 0;
  if (found->is_number_integer()) return found->get<std::int64_t>();
  const auto number = found->get<double>();
  return number >= -9.2e18 && number <= 9.2e18 ? static_cast<std::int64_t>(number) : 0;
}

json toJson(const NaiveReading& reading) {
  json object{{"kind", reading.kind}};
  putNumber(object, "samples_per_second", reading.samples_per_second);
  putNumber(object, "ratio", reading.ratio);
  if (!reading.reason.empty()) object["reason"] = reading.reason;
  return object;
}

}  // namespace

json toJson(const Interval& interval) {
  json object{{"count", interval.count}};
  putNumber(object, "median", interval.median);
  putNumber(object, "low", interval.low);
  putNumber(object, "high", interval.high);
  return object;
}

json toJson(const MemoryBytes& m) {
  return {{"total", m.total},         {"weights", m.weights},         {"gradients", m.gradients},
          {"optimizer", m.optimizer}, {"activations", m.activations}, {"other", m.other}};
}

json toJson(const StageTimes& s) {
  return {{"data", s.data},           {"forward", s.forward}, {"backward", s.backward},
          {"optimizer", s.optimizer}, {"other", s.other},     {"wall_ns", s.wall}};
}

json toJson(const std::vector<Message>& messages) {
  auto list = json::array();
  for (const auto& message : messages) {
    json args = json::object();
    for (const auto& [key, value] : message.args) args[key] = value;
    list.push_back({{"id", message.id}, {"args", std::move(args)}});
  }
  return list;
}

json toJson(const RunSummary& s) {
  json object{{"id", s.id},
              {"status", s.status},
              {"seed", s.seed},
              {"steps", s.steps},
              {"optimizer_steps", s.optimizer_steps},
              {"skipped_steps", s.skipped_steps},
              {"samples", s.samples},
              {"epochs", s.epochs},
              {"peak_memory_bytes", toJson(s.peak_memory_bytes)},
              {"rss_bytes", s.rss_bytes},
              {"stages", toJson(s.stages)},
              {"evaluated", s.evaluated},
              {"blocks", s.blocks},
              {"disturbed_blocks", s.disturbed_blocks},
              {"notices", toJson(s.notices)}};
  if (!s.variant.empty()) object["variant"] = s.variant;
  if (s.samples_per_second) object["samples_per_second"] = toJson(*s.samples_per_second);
  json percentiles = json::object();
  putNumber(percentiles, "p50", s.step_p50);
  putNumber(percentiles, "p90", s.step_p90);
  putNumber(percentiles, "p99", s.step_p99);
  if (!percentiles.empty()) object["milliseconds_per_step"] = std::move(percentiles);
  putNumber(object, "first_step_milliseconds", s.first_step_milliseconds);
  putNumber(object, "startup_milliseconds", s.startup_milliseconds);
  putNumber(object, "cpu_percent", s.cpu_percent);
  putNumber(object, "loss", s.loss);
  putNumber(object, "accuracy", s.accuracy);
  if (!s.naive.empty()) {
    object["naive"] = json::array();
    for (const auto& reading : s.naive) object["naive"].push_back(toJson(reading));
  }
  if (!s.failure.empty()) object["failure"] = toJson(s.failure);
  return object;
}

json toJson(const Comparison& c) {
  json object{{"variant", c.variant}, {"summary", toJson(c.summary)},
              {"verdict", c.verdict}, {"same_quality", c.same_quality},
              {"pairs", c.pairs},     {"discarded_pairs", c.discarded_pairs}};
  if (c.ratio) object["ratio"] = toJson(*c.ratio);
  return object;
}

json toJson(const RaceSummary& race) {
  json object{{"a", toJson(race.a)},
              {"b", toJson(race.b)},
              {"verdict", race.verdict},
              {"same_quality", race.same_quality},
              {"pairs", race.pairs},
              {"discarded_pairs", race.discarded_pairs},
              {"planned_pairs", race.planned_pairs},
              {"stopped_early", race.stopped_early}};
  if (race.ratio) object["ratio"] = toJson(*race.ratio);
  if (!race.others.empty()) {
    object["others"] = json::array();
    for (const auto& other : race.others) object["others"].push_back(toJson(other));
  }
  return object;
}

std::vector<const RunSummary*> RaceSummary::runs() const {
  std::vector<const RunSummary*> all{&a, &b};
  for (const auto& other : others) all.push_back(&other.summary);
  return all;
}

std::vector<Comparison> RaceSummary::comparisons() const {
  std::vector<Comparison> all{{"b", b, ratio, verdict, same_quality, pairs, discarded_pairs}};
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

void RaceSummary::add(Comparison comparison) {
  if (comparison.variant != "b") {
    others.push_back(std::move(comparison));
    return;
  }
  b = std::move(comparison.summary);
  ratio = comparison.ratio;
  verdict = std::move(comparison.verdict);
  same_quality = comparison.same_quality;
  pairs = comparison.pairs;
  discarded_pairs = comparison.discarded_pairs;
}

std::optional<Interval> intervalFromJson(const json& object) {
  const auto median = getNumber(object, "median"), low = getNumber(object, "low"), high = getNumber(object, "high");
  if (!median || !low || !high) return std::nullopt;
  return Interval{*median, *low, *high, static_cast<int>(integerAt(object, "count"))};
}

MemoryBytes memoryFromJson(const json& o) {
  if (!o.is_object()) return {};
  return {integerAt(o, "total"),     integerAt(o, "weights"),     integerAt(o, "gradients"),
          integerAt(o, "optimizer"), integerAt(o, "activations"), integerAt(o, "other")};
}

StageTimes stagesFromJson(const json& o) {
  if (!o.is_object()) return {};
  return {integerAt(o, "data"),      integerAt(o, "forward"), integerAt(o, "backward"),
          integerAt(o, "optimizer"), integerAt(o, "other"),   integerAt(o, "wall_ns")};
}

std::vector<Message> messagesFromJson(const json& list) {
  std::vector<Message> messages;
  if (!list.is_array()) return messages;
  for (const auto& entry : list) {
    if (!entry.is_object()) continue;
    Message message{textAt(entry, "id"), {}};
    const auto args = memberAt(entry, "args");
    for (const auto& [key, value] : args.items())
      if (args.is_object() && value.is_string()) message.args.emplace_back(key, value.get<std::string>());
    messages.push_back(std::move(message));
  }
  return messages;
}

RunSummary runSummaryFromJson(const json& o) {
  RunSummary s;
  if (!o.is_object()) return s;
  s.id = textAt(o, "id");
  s.status = textAt(o, "status");
  s.variant = textAt(o, "variant");
  s.seed = integerAt(o, "seed");
  s.steps = integerAt(o, "steps");
  s.optimizer_steps = integerAt(o, "optimizer_steps");
  s.skipped_steps = integerAt(o, "skipped_steps");
  s.samples = integerAt(o, "samples");
  s.epochs = integerAt(o, "epochs");
  s.samples_per_second = intervalFromJson(memberAt(o, "samples_per_second"));
  const auto percentiles = memberAt(o, "milliseconds_per_step");
  s.step_p50 = getNumber(percentiles, "p50");
  s.step_p90 = getNumber(percentiles, "p90");
  s.step_p99 = getNumber(percentiles, "p99");
  s.first_step_milliseconds = getNumber(o, "first_step_milliseconds");
  s.startup_milliseconds = getNumber(o, "startup_milliseconds");
  s.peak_memory_bytes = memoryFromJson(memberAt(o, "peak_memory_bytes"));
  s.rss_bytes = integerAt(o, "rss_bytes");
  s.cpu_percent = getNumber(o, "cpu_percent");
  s.stages = stagesFromJson(memberAt(o, "stages"));
  s.loss = getNumber(o, "loss");
  s.accuracy = getNumber(o, "accuracy");
  s.evaluated = integerAt(o, "evaluated");
  s.blocks = static_cast<int>(integerAt(o, "blocks"));
  s.disturbed_blocks = static_cast<int>(integerAt(o, "disturbed_blocks"));
  s.notices = messagesFromJson(memberAt(o, "notices"));
  s.failure = messagesFromJson(memberAt(o, "failure"));
  for (const auto& entry : memberAt(o, "naive")) {
    if (!entry.is_object()) continue;
    s.naive.push_back(
        {textAt(entry, "kind"), getNumber(entry, "samples_per_second"), getNumber(entry, "ratio"), textAt(entry, "reason")});
  }
  return s;
}

Comparison comparisonFromJson(const json& o) {
  Comparison comparison;
  if (!o.is_object()) return comparison;
  comparison.variant = textAt(o, "variant");
  comparison.summary = runSummaryFromJson(memberAt(o, "summary"));
  comparison.ratio = intervalFromJson(memberAt(o, "ratio"));
  comparison.verdict = textAt(o, "verdict");
  comparison.same_quality = memberAt(o, "same_quality") == true;
  comparison.pairs = static_cast<int>(integerAt(o, "pairs"));
  comparison.discarded_pairs = static_cast<int>(integerAt(o, "discarded_pairs"));
  return comparison;
}

RaceSummary raceSummaryFromJson(const json& o) {
  RaceSummary race;
  if (!o.is_object()) return race;
  race.a = runSummaryFromJson(memberAt(o, "a"));
  race.b = runSummaryFromJson(memberAt(o, "b"));
  race.ratio = intervalFromJson(memberAt(o, "ratio"));
  race.verdict = textAt(o, "verdict");
  race.same_quality = memberAt(o, "same_quality") == true;
  race.pairs = static_cast<int>(integerAt(o, "pairs"));
  race.discarded_pairs = static_cast<int>(integerAt(o, "discarded_pairs"));
  race.planned_pairs = static_cast<int>(integerAt(o, "planned_pairs"));
  race.stopped_early = memberAt(o, "stopped_early") == true;
  const auto others = memberAt(o, "others");
  if (!others.is_array()) return race;
  for (const auto& other : others)
    if (other.is_object()) race.others.push_back(comparisonFromJson(other));
  return race;
}

}  // namespace atelier::wire
