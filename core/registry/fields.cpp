#include "fields.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

namespace atelier::registry {
namespace {

using Read = FieldValue (*)(const RunRecord&);

struct Entry {
  FieldInfo info;
  Read read = nullptr;  // null: a key of the spec
};

FieldValue number(std::optional<double> value) {
  return value ? FieldValue(*value) : FieldValue();
}
FieldValue text(const std::string& value) {
  return value.empty() ? FieldValue() : FieldValue(value);
}
// Bytes of nothing were not measured.
FieldValue bytes(std::int64_t value) {
  return value > 0 ? FieldValue(static_cast<double>(value)) : FieldValue();
}
FieldValue count(std::int64_t value) {
  return static_cast<double>(value);
}

std::string joined(const std::vector<std::string>& tags) {
  std::string all;
  for (const auto& tag : tags) all += (all.empty() ? "" : ", ") + tag;
  return all;
}

std::vector<Entry> labelFields() {
  using enum FieldKind;
  return {{{"id", Text, "figure.run"}, [](const RunRecord& r) { return text(r.id); }},
          {{"name", Text, "runs.name"}, [](const RunRecord& r) { return text(r.labels.name); }},
          {{"note", Text, "field.note"}, [](const RunRecord& r) { return text(r.labels.note); }},
          {{"tag", Text, "field.tag"}, [](const RunRecord& r) { return text(joined(r.labels.tags)); }},
          {{"pinned", Flag, "field.pinned"}, [](const RunRecord& r) { return FieldValue(r.labels.pinned); }},
          {{"status", Text, "figure.status"}, [](const RunRecord& r) { return text(r.summary.status); }},
          {{"race", Text, "field.race"}, [](const RunRecord& r) { return text(r.race); }},
          {{"created", Time, "field.created"}, [](const RunRecord& r) { return count(r.created_ms); }}};
}

std::vector<Entry> speedFields() {
  using enum FieldKind;
  return {
      {{"samples_per_second", Number, "figure.samples_per_second", "unit.samples_per_second"},
       [](const RunRecord& r) {
         const auto& rate = r.summary.samples_per_second;
         return number(rate ? std::optional(rate->median) : std::nullopt);
       }},
      {{"step_p50", Number, "figure.step_p50", "unit.ms"}, [](const RunRecord& r) { return number(r.summary.step_p50); }},
      {{"step_p90", Number, "field.step_p90", "unit.ms"}, [](const RunRecord& r) { return number(r.summary.step_p90); }},
      {{"step_p99", Number, "figure.step_p99", "unit.ms"}, [](const RunRecord& r) { return number(r.summary.step_p99); }},
      {{"first_step_milliseconds", Number, "figure.first_step", "unit.ms"},
       [](const RunRecord& r) { return number(r.summary.first_step_milliseconds); }},
      {{"startup_milliseconds", Number, "field.startup", "unit.ms"},
       [](const RunRecord& r) { return number(r.summary.startup_milliseconds); }},
      {{"cpu_percent", Number, "figure.cpu", "unit.percent"}, [](const RunRecord& r) { return number(r.summary.cpu_percent); }},
      {{"loss", Number, "figure.loss"}, [](const RunRecord& r) { return number(r.summary.loss); }},
      {{"accuracy", Number, "figure.accuracy", "unit.share"}, [](const RunRecord& r) { return number(r.summary.accuracy); }}};
}

std::vector<Entry> memoryFields() {
  using enum FieldKind;
  const std::string unit = "unit.bytes";
  return {{{"peak_memory", Number, "figure.peak", unit},
           [](const RunRecord& r) { return bytes(r.summary.peak_memory_bytes.total); }},
          {{"peak_weights", Number, "field.peak_weights", unit},
           [](const RunRecord& r) { return bytes(r.summary.peak_memory_bytes.weights); }},
          {{"peak_gradients", Number, "field.peak_gradients", unit},
           [](const RunRecord& r) { return bytes(r.summary.peak_memory_bytes.gradients); }},
          {{"peak_optimizer", Number, "field.peak_optimizer", unit},
           [](const RunRecord& r) { return bytes(r.summary.peak_memory_bytes.optimizer); }},
          {{"peak_activations", Number, "field.peak_activations", unit},
           [](const RunRecord& r) { return bytes(r.summary.peak_memory_bytes.activations); }},
          {{"rss", Number, "figure.rss", unit}, [](const RunRecord& r) { return bytes(r.summary.rss_bytes); }}};
}

std::vector<Entry> countFields() {
  using enum FieldKind;
  return {{{"steps", Number, "figure.steps"}, [](const RunRecord& r) { return count(r.summary.steps); }},
          {{"samples", Number, "field.samples"}, [](const RunRecord& r) { return count(r.summary.samples); }},
          {{"epochs", Number, "field.epochs"}, [](const RunRecord& r) { return count(r.summary.epochs); }},
          {{"seed", Number, "figure.seed"}, [](const RunRecord& r) { return count(r.summary.seed); }},
          {{"disturbed_blocks", Number, "field.disturbed_blocks"},
           [](const RunRecord& r) { return count(r.summary.disturbed_blocks); }}};
}

// The keys that this version's units declare; others are read all the same, only their kind is not known beforehand.
std::vector<Entry> specFields() {
  using enum FieldKind;
  std::vector<Entry> all;
  const auto add = [&](FieldKind kind, std::initializer_list<const char*> keys, const char* prefix = "") {
    for (const std::string key : keys)
      all.push_back(
          {{prefix + key, kind, "option." + key + ".label", key == "memory_budget" ? "unit.bytes" : "", true}, nullptr});
  };
  add(Text, {"model", "data", "mode", "device", "precision", "optimizer", "schedule"});
  add(Number, {"batch", "blocks", "warmup", "threads", "workers", "prefetch", "learning_rate", "weight_decay", "momentum",
               "clip_norm", "label_smoothing", "memory_budget"});
  add(Flag, {"channels_last", "fused", "deterministic", "drop_last", "evaluate", "naive"});
  add(Number, {"steps", "epochs", "seed"}, "spec.");
  add(Flag, {"pinned"}, "spec.");
  return all;
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> gathered;
    for (const auto& part : {labelFields(), speedFields(), memoryFields(), countFields(), specFields()})
      gathered.insert(gathered.end(), part.begin(), part.end());
    return gathered;
  }();
  return all;
}

const Entry* findEntry(std::string_view name) {
  static const std::map<std::string_view, const Entry*> byName = [] {
    std::map<std::string_view, const Entry*> map;
    for (const auto& entry : entries()) map.emplace(entry.info.name, &entry);
    return map;
  }();
  const auto found = byName.find(name);
  return found == byName.end() ? nullptr : found->second;
}

FieldValue specValue(const RunRecord& run, std::string_view name) {
  if (name.starts_with("spec.")) name.remove_prefix(5);
  if (!run.spec.is_object()) return {};
  const auto found = run.spec.find(std::string(name));
  if (found == run.spec.end()) return {};
  if (found->is_boolean()) return found->get<bool>();
  if (found->is_string()) return text(found->get<std::string>());
  if (!found->is_number()) return {};
  const auto value = found->get<double>();
  return name == "memory_budget" && value == 0 ? FieldValue() : FieldValue(value);
}

// Comparable values first, then a loss that is not a number, then nothing.
int rank(const FieldValue& value) {
  if (std::holds_alternative<std::monostate>(value)) return 2;
  const auto* number = std::get_if<double>(&value);
  return number && std::isnan(*number) ? 1 : 0;
}

bool before(const FieldValue& left, const FieldValue& right, bool descending) {
  const int leftRank = rank(left), rightRank = rank(right);
  if (leftRank != rightRank || leftRank != 0) return leftRank < rightRank;
  return descending ? right < left : left < right;
}

}  // namespace

const std::vector<FieldInfo>& knownFields() {
  static const std::vector<FieldInfo> all = [] {
    std::vector<FieldInfo> infos;
    for (const auto& entry : entries()) infos.push_back(entry.info);
    return infos;
  }();
  return all;
}

const FieldInfo* findField(std::string_view name) {
  const auto* entry = findEntry(name);
  return entry ? &entry->info : nullptr;
}

FieldValue field(const RunRecord& run, std::string_view name) {
  const auto* entry = findEntry(name);
  return entry && entry->read ? entry->read(run) : specValue(run, name);
}

std::optional<double> figure(const RunRecord& run, std::string_view name) {
  const auto value = field(run, name);
  const auto* number = std::get_if<double>(&value);
  return number ? std::optional(*number) : std::nullopt;
}

void sortRuns(std::vector<RunRecord>& runs, std::string_view name, bool descending) {
  std::vector<std::pair<FieldValue, std::size_t>> keys;
  for (std::size_t i = 0; i < runs.size(); ++i) keys.emplace_back(field(runs[i], name), i);
  std::stable_sort(keys.begin(), keys.end(),
                   [descending](const auto& left, const auto& right) { return before(left.first, right.first, descending); });
  std::vector<RunRecord> sorted;
  sorted.reserve(runs.size());
  for (const auto& [value, at] : keys) sorted.push_back(std::move(runs[at]));
  runs = std::move(sorted);
}

}  // namespace atelier::registry
