#include "sweep.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "json_read.h"
#include "number.h"

namespace atelier::wire {
namespace {

using nlohmann::json;

constexpr const char* kFigures[] = {"samples_per_second", "milliseconds_per_step", "loss", "accuracy", "failure", "blocks",
                                    "non_finite",         "disturbed_blocks"};

void mistake(std::vector<Message>& mistakes, const char* id, std::vector<std::pair<std::string, std::string>> args) {
  mistakes.push_back({id, std::move(args)});
}

std::vector<json> readValues(const Option& option, std::string_view list, std::vector<Message>& mistakes) {
  std::vector<json> values;
  while (true) {
    const auto end = list.find(',');
    const auto word = list.substr(0, end);
    const auto read = readText(option, word);
    if (!read.ok()) {
      mistakes.push_back(read.error().messages.front());
    } else if (auto value = valueJson(*read); std::find(values.begin(), values.end(), value) == values.end()) {
      values.push_back(std::move(value));
    } else {
      mistake(mistakes, "sweep.value_twice", {{"key", option.key}, {"value", std::string(word)}});
    }
    if (end == std::string_view::npos) return values;
    list.remove_prefix(end + 1);
  }
}

void readAxis(const Schema& schema, const std::string& word, std::vector<SweepAxis>& axes, std::vector<Message>& mistakes) {
  const auto split = word.find('=');
  if (split == std::string::npos || split + 1 == word.size()) return mistake(mistakes, "sweep.no_values", {{"word", word}});
  const auto key = word.substr(0, split);
  const auto* option = schema.find(key);
  if (!option) {
    const auto nearest = schema.nearestKey(key);
    return mistake(mistakes, nearest.empty() ? "spec.unknown_key" : "spec.unknown_key_near",
                   {{"key", key}, {"nearest", nearest}});
  }
  if (std::any_of(axes.begin(), axes.end(), [&](const SweepAxis& axis) { return axis.key == key; }))
    return mistake(mistakes, "sweep.key_twice", {{"key", key}});
  axes.push_back({key, readValues(*option, std::string_view(word).substr(split + 1), mistakes)});
}

bool measured(const SweepPoint& point) {
  return point.summary.status == "done" && point.summary.samples_per_second.has_value();
}

bool dominates(const SweepPoint& one, const SweepPoint& other) {
  const double rate = one.summary.samples_per_second->median, otherRate = other.summary.samples_per_second->median;
  const auto bytes = one.summary.peak_memory_bytes.total, otherBytes = other.summary.peak_memory_bytes.total;
  return rate >= otherRate && bytes <= otherBytes && (rate > otherRate || bytes < otherBytes);
}

SweepPoint pointFromJson(const json& object) {
  SweepPoint point;
  point.variant = textAt(object, "variant");
  if (const auto values = memberAt(object, "values"); values.is_object()) point.values = values;
  point.summary = runSummaryFromJson(object);
  point.summary.id = textAt(object, "run");
  point.pareto = memberAt(object, "pareto") == true;
  return point;
}

}  // namespace

Result<std::vector<SweepAxis>> readAxes(const Schema& schema, const std::vector<std::string>& words) {
  std::vector<Message> mistakes;
  std::vector<SweepAxis> axes;
  for (const auto& word : words) readAxis(schema, word, axes, mistakes);
  if (words.empty()) mistakes.push_back({"sweep.no_grid"});
  std::size_t points = 1;
  for (const auto& axis : axes)
    if (points <= kMostSweepPoints) points *= std::max<std::size_t>(1, axis.values.size());
  if (points > kMostSweepPoints) mistakes.push_back({"sweep.too_many", {{"most", std::to_string(kMostSweepPoints)}}});
  if (!mistakes.empty()) return Error{ExitCode::Usage, std::move(mistakes)};
  return axes;
}

std::vector<json> gridPoints(const std::vector<SweepAxis>& axes) {
  std::vector<json> points{json::object()};
  for (const auto& axis : axes) {
    std::vector<json> finer;
    for (const auto& point : points)
      for (const auto& value : axis.values) {
        finer.push_back(point);
        finer.back()[axis.key] = value;
      }
    points = std::move(finer);
  }
  return points;
}

std::vector<std::size_t> measuringOrder(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  // std::shuffle may differ between standard libraries; the generator may not.
  std::mt19937 generator(kSweepSeed);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[generator() % i]);
  return order;
}

void judge(SweepSummary& sweep) {
  sweep.best.reset();
  auto& points = sweep.points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].pareto = measured(points[i]) && std::none_of(points.begin(), points.end(), [&](const SweepPoint& other) {
                         return measured(other) && dominates(other, points[i]);
                       });
    if (!measured(points[i])) continue;
    const auto rate = points[i].summary.samples_per_second->median;
    if (!sweep.best || rate > points[*sweep.best].summary.samples_per_second->median) sweep.best = i;
  }
}

json toJson(const std::vector<SweepAxis>& axes) {
  auto list = json::array();
  for (const auto& axis : axes) list.push_back({{"key", axis.key}, {"values", axis.values}});
  return list;
}

json toJson(const SweepPoint& point) {
  json object{{"variant", point.variant},
              {"values", point.values},
              {"run", point.summary.id},
              {"status", point.summary.status},
              {"pareto", point.pareto}};
  auto summary = toJson(point.summary);
  for (const auto* key : kFigures)
    if (const auto figure = summary.find(key); figure != summary.end()) object[key] = std::move(*figure);
  if (point.summary.peak_memory_bytes.total > 0) object["peak_memory_bytes"] = std::move(summary["peak_memory_bytes"]);
  return object;
}

json toJson(const SweepSummary& sweep) {
  json object{{"id", sweep.id}, {"status", sweep.status}, {"axes", toJson(sweep.axes)}, {"points", json::array()}};
  for (const auto& point : sweep.points) object["points"].push_back(toJson(point));
  if (!sweep.name.empty()) object["name"] = sweep.name;
  object["best"] = sweep.best ? json(*sweep.best) : json();
  putNumber(object, "drift", sweep.drift);
  if (!sweep.drift_run.empty()) object["drift_run"] = sweep.drift_run;
  return object;
}

std::vector<SweepAxis> sweepAxesFromJson(const json& list) {
  std::vector<SweepAxis> axes;
  if (!list.is_array()) return axes;
  for (const auto& entry : list) {
    if (!entry.is_object()) continue;
    SweepAxis axis{textAt(entry, "key")};
    const auto values = memberAt(entry, "values");
    if (values.is_array()) axis.values.assign(values.begin(), values.end());
    axes.push_back(std::move(axis));
  }
  return axes;
}

SweepSummary sweepSummaryFromJson(const json& o) {
  SweepSummary sweep;
  if (!o.is_object()) return sweep;
  sweep.id = textAt(o, "id");
  sweep.name = textAt(o, "name");
  sweep.status = textAt(o, "status");
  sweep.axes = sweepAxesFromJson(memberAt(o, "axes"));
  for (const auto& entry : memberAt(o, "points"))
    if (entry.is_object()) sweep.points.push_back(pointFromJson(entry));
  const auto best = getNumber(o, "best");
  // An index that points nowhere is as good as none.
  if (best && *best >= 0 && *best < static_cast<double>(sweep.points.size())) sweep.best = static_cast<std::size_t>(*best);
  sweep.drift = getNumber(o, "drift");
  sweep.drift_run = textAt(o, "drift_run");
  return sweep;
}

}  // namespace atelier::wire
