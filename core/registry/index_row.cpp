#include "index_row.h"

#include <type_traits>
#include <utility>

namespace atelier::registry {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Calls visit(name, member) for every column, in the table's order.
template <class Row, class Visit>
void eachColumn(Row& row, Visit&& visit) {
  visit("id", row.id);
  visit("created_ms", row.created_ms);
  visit("stamp", row.stamp);
  visit("race", row.race);
  visit("spec", row.spec);
  visit("labels", row.labels);
  visit("words", row.words);
  auto& s = row.summary;
  visit("status", s.status);
  visit("variant", s.variant);
  visit("seed", s.seed);
  visit("steps", s.steps);
  visit("optimizer_steps", s.optimizer_steps);
  visit("skipped_steps", s.skipped_steps);
  visit("samples", s.samples);
  visit("epochs", s.epochs);
  visit("samples_per_second", s.samples_per_second);
  visit("step_p50", s.step_p50);
  visit("step_p90", s.step_p90);
  visit("step_p99", s.step_p99);
  visit("first_step_milliseconds", s.first_step_milliseconds);
  visit("startup_milliseconds", s.startup_milliseconds);
  visit("peak_total", s.peak_memory_bytes.total);
  visit("peak_weights", s.peak_memory_bytes.weights);
  visit("peak_gradients", s.peak_memory_bytes.gradients);
  visit("peak_optimizer", s.peak_memory_bytes.optimizer);
  visit("peak_activations", s.peak_memory_bytes.activations);
  visit("peak_other", s.peak_memory_bytes.other);
  visit("rss_bytes", s.rss_bytes);
  visit("cpu_percent", s.cpu_percent);
  visit("ns_data", s.stages.data);
  visit("ns_forward", s.stages.forward);
  visit("ns_backward", s.stages.backward);
  visit("ns_optimizer", s.stages.optimizer);
  visit("ns_other", s.stages.other);
  visit("ns_wall", s.stages.wall);
  visit("loss", s.loss);
  visit("accuracy", s.accuracy);
  visit("evaluated", s.evaluated);
  visit("blocks", s.blocks);
  visit("disturbed_blocks", s.disturbed_blocks);
}

// "name separator" for each column; an interval takes four.
template <class Add>
std::string joined(Add&& add) {
  std::string all;
  IndexRow row;
  const auto put = [&](const std::string& name, const auto& member) { all += (all.empty() ? "" : ", ") + add(name, member); };
  eachColumn(row, [&](const char* name, const auto& member) {
    if constexpr (std::is_same_v<std::decay_t<decltype(member)>, std::optional<wire::Interval>>) {
      for (const char* part : {"", "_low", "_high"}) put(name + std::string(part), std::optional<double>());
      put(name + std::string("_count"), 0);
    } else {
      put(name, member);
    }
  });
  return all;
}

// Without a type for numbers that may be a name (NaN): a type would make SQLite convert.
const char* typeOf(const std::string&) {
  return " TEXT NOT NULL";
}
const char* typeOf(const std::optional<double>&) {
  return "";
}
const char* typeOf(std::int64_t) {
  return " INTEGER NOT NULL";
}

class Binder {
 public:
  explicit Binder(Statement& statement) : m_statement(statement) {}

  void operator()(const char*, const std::optional<wire::Interval>& value) {
    const auto part = [&](double wire::Interval::*member) { return value ? std::optional((*value).*member) : std::nullopt; };
    m_statement.bind(++m_at, part(&wire::Interval::median));
    m_statement.bind(++m_at, part(&wire::Interval::low));
    m_statement.bind(++m_at, part(&wire::Interval::high));
    m_statement.bind(++m_at, std::int64_t{value ? value->count : 0});
  }
  void operator()(const char*, int value) { m_statement.bind(++m_at, std::int64_t{value}); }
  template <class T>
  void operator()(const char*, const T& value) {
    m_statement.bind(++m_at, value);
  }

 private:
  Statement& m_statement;
  int m_at = 0;
};

class Reader {
 public:
  explicit Reader(Statement& statement) : m_statement(statement) {}

  void operator()(const char*, std::string& value) { value = m_statement.text(m_at++); }
  void operator()(const char*, std::int64_t& value) { value = m_statement.integer(m_at++); }
  void operator()(const char*, int& value) { value = static_cast<int>(m_statement.integer(m_at++)); }
  void operator()(const char*, std::optional<double>& value) { value = m_statement.number(m_at++); }
  void operator()(const char*, std::optional<wire::Interval>& value) {
    const auto median = m_statement.number(m_at), low = m_statement.number(m_at + 1), high = m_statement.number(m_at + 2);
    if (median && low && high) value = wire::Interval{*median, *low, *high, static_cast<int>(m_statement.integer(m_at + 3))};
    m_at += 4;
  }

 private:
  Statement& m_statement;
  int m_at = 0;
};

std::string compact(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

// We wrote it, from JSON that was checked when its file was read: parsed without the checks on depth and double keys.
std::optional<json> parsed(const std::string& text) {
  auto value = json::parse(text, nullptr, false);
  return value.is_discarded() ? std::nullopt : std::optional(std::move(value));
}

std::string wordsOf(const wire::RunSummary& summary) {
  if (summary.naive.empty() && summary.notices.empty() && summary.failure.empty()) return "";
  wire::RunSummary words;
  words.naive = summary.naive;
  words.notices = summary.notices;
  words.failure = summary.failure;
  const auto whole = wire::toJson(words);
  auto object = json::object();
  for (const char* key : {"naive", "notices", "failure"})
    if (whole.contains(key)) object[key] = whole[key];
  return compact(object);
}

bool unlabelled(const Labels& labels) {
  return labels.name.empty() && labels.note.empty() && labels.tags.empty() && !labels.pinned;
}

}  // namespace

IndexRow rowOf(const RunReading& reading) {
  const auto& record = reading.record;
  IndexRow row;
  row.id = record.id;
  row.created_ms = record.created_ms;
  row.stamp = reading.stamp;
  row.race = record.race;
  row.spec = compact(record.spec);
  row.labels = unlabelled(record.labels) ? "" : compact(toJson(record.labels));
  row.words = wordsOf(record.summary);
  row.summary = record.summary;
  return row;
}

std::optional<RunRecord> recordOf(IndexRow&& row, const fs::path& folder) {
  auto spec = parsed(row.spec);
  const auto labels = row.labels.empty() ? json::object() : parsed(row.labels);
  const auto words = row.words.empty() ? json::object() : parsed(row.words);
  if (!spec || !labels || !labels->is_object() || !words || !words->is_object()) return std::nullopt;
  row.summary.id = row.id;
  if (!row.words.empty()) {
    auto told = wire::runSummaryFromJson(*words);
    row.summary.naive = std::move(told.naive);
    row.summary.notices = std::move(told.notices);
    row.summary.failure = std::move(told.failure);
  }
  return RunRecord{std::move(row.id),       row.created_ms, std::move(row.race), std::move(*spec), std::move(row.summary),
                   labelsFromJson(*labels), folder};
}

std::string columnDefinitions() {
  return joined(
      [](const std::string& name, const auto& member) { return name + (name == "id" ? " TEXT PRIMARY KEY" : typeOf(member)); });
}

std::string columnNames() {
  return joined([](const std::string& name, const auto&) { return name; });
}

std::string columnMarks() {
  return joined([](const std::string&, const auto&) { return std::string("?"); });
}

void bindRow(Statement& statement, const IndexRow& row) {
  eachColumn(row, Binder(statement));
}

IndexRow readRow(Statement& statement) {
  IndexRow row;
  eachColumn(row, Reader(statement));
  return row;
}

}  // namespace atelier::registry
