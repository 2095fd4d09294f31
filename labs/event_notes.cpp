#include "event_notes.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>
#include <vector>

#include "core/wire/json_read.h"
#include "core/wire/number.h"

namespace atelier::lab {
namespace {

using nlohmann::json;

// Formats that a training is done in, and so worth asking what they would lose.
constexpr const char* kFormats[] = {"float16", "bfloat16", "e4m3fn", "e5m2"};

json sharesOf(const wire::ValueHistogram& histogram) {
  auto shares = json::object();
  for (const char* id : kFormats) {
    const auto& format = *wire::findNumberFormat(id);
    const auto plain = histogram.outside(format);
    const int best = histogram.bestScale(format);
    shares[id] = {{"zero", plain.zero},
                  {"subnormal", plain.subnormal},
                  {"overflow", plain.overflow},
                  {"lost", plain.lost()},
                  {"scaled", histogram.outside(format, std::ldexp(1.0, best)).lost()},
                  {"best_scale", best}};
  }
  return shares;
}

json formatsOf(const wire::ValueHistograms& counted) {
  auto formats = json::object();
  const auto put = [&](const char* group, const wire::ValueHistogram& histogram) {
    if (histogram.finite() > 0) formats[group] = sharesOf(histogram);
  };
  put("weights", counted.weights);
  put("activations", counted.activations);
  put("gradients", counted.gradients);
  return formats;
}

std::int64_t lengthOf(const json& list) {
  return list.is_array() ? static_cast<std::int64_t>(list.size()) : 0;
}

json numbers(std::initializer_list<std::pair<const char*, double>> members) {
  auto object = json::object();
  for (const auto& [name, value] : members) wire::putNumber(object, name, value);
  return object;
}

// Of the first weight over the last: biases and norms have other sizes, and tell nothing of the way back.
std::optional<double> firstOverLast(const wire::Gradients& gradients) {
  std::vector<double> norms;
  for (const auto& layer : gradients.layers)
    if (layer.name.ends_with("weight")) norms.push_back(layer.norm);
  if (norms.size() < 2 || !(norms.back() > 0)) return std::nullopt;
  return norms.front() / norms.back();
}

}  // namespace

void EventNotes::Curve::take(double loss) {
  if (!begun) first = lowest = highest = loss;
  begun = true;
  last = loss;
  lowest = std::min(lowest, loss);
  highest = std::max(highest, loss);
}

void EventNotes::Norms::take(const wire::Gradients& gradients) {
  if (gradients.step < 0) return;
  if (!begun) {
    first = gradients.norm;
    first_over_last = firstOverLast(gradients);
  }
  begun = true;
  last = gradients.norm;
  if (!std::isfinite(gradients.norm)) ++not_finite;
  else largest = std::max(largest, gradients.norm);
  update_ratio = 0;
  for (const auto& layer : gradients.layers) update_ratio = std::max(update_ratio, layer.update_ratio);
}

void EventNotes::Scale::take(const wire::ScaleChanged& change) {
  if (overflows + growths == 0) first = change.was;
  last = change.is;
  ++(change.reason == "growth" ? growths : overflows);
}

void EventNotes::Notes::start(const wire::RunStarted& started) {
  const auto mode = wire::textAt(started.spec, "mode");
  if ((mode.empty() || mode == "train") && wire::textAt(started.spec, "precision") == "fp16") {
    const auto initial = started.spec.is_object() ? wire::getNumber(started.spec, "scaler_initial_scale") : std::nullopt;
    scale = Scale{};
    scale->first = scale->last = initial.value_or(0);
  }
  if (started.spec.is_object() && wire::getNumber(started.spec, "rollback").value_or(0) > 0) rollbacks = 0;
  if (started.environment.is_object() && !started.environment.empty())
    machine = Machine{lengthOf(wire::memberAt(started.environment, "gpus")),
                      lengthOf(wire::memberAt(started.environment, "low_precision"))};
}

json EventNotes::Notes::toJson() const {
  auto object = json::object();
  if (curve.begun)
    object["curve"] =
        numbers({{"first", curve.first}, {"last", curve.last}, {"lowest", curve.lowest}, {"highest", curve.highest}});
  if (auto formats = formatsOf(counted); !formats.empty()) object["formats"] = std::move(formats);
  if (norms.begun) {
    auto& gradients = object["gradients"];
    gradients = numbers({{"first", norms.first},
                         {"last", norms.last},
                         {"largest", norms.largest},
                         {"update_ratio", norms.update_ratio}});
    gradients["not_finite"] = norms.not_finite;
    wire::putNumber(gradients, "first_over_last", norms.first_over_last);
  }
  if (scale) {
    object["scale"] = numbers({{"first", scale->first}, {"last", scale->last}});
    object["scale"]["overflows"] = scale->overflows;
    object["scale"]["growths"] = scale->growths;
  }
  if (rollbacks) object["rollbacks"] = *rollbacks;
  if (machine) object["machine"] = {{"gpus", machine->gpus}, {"low_precision", machine->low_precision}};
  return object;
}

void EventNotes::take(const wire::RunEvent& event) {
  const auto notes = [&]() -> Notes& { return m_notes[event.variant]; };
  if (const auto* started = std::get_if<wire::RunStarted>(&event.body)) {
    notes().start(*started);
  } else if (const auto* block = std::get_if<wire::BlockDone>(&event.body)) {
    if (block->loss) notes().curve.take(*block->loss);
  } else if (const auto* looked = std::get_if<wire::HealthSampled>(&event.body)) {
    const auto& counted = looked->health.histograms;
    auto& all = notes().counted;
    all.weights.add(counted.weights);
    all.activations.add(counted.activations);
    all.gradients.add(counted.gradients);
  } else if (const auto* sampled = std::get_if<wire::GradientsSampled>(&event.body)) {
    notes().norms.take(sampled->gradients);
  } else if (const auto* scaled = std::get_if<wire::ScaleChanged>(&event.body)) {
    auto& scale = notes().scale;
    if (scale) scale->take(*scaled);
  } else if (std::holds_alternative<wire::RolledBack>(event.body)) {
    auto& rollbacks = notes().rollbacks;
    rollbacks = rollbacks.value_or(0) + 1;
  }
}

void EventNotes::addTo(json& result) const {
  if (!result.is_object()) return;
  const bool race = wire::memberAt(result, "a").is_object() && wire::memberAt(result, "b").is_object();
  for (const auto& [variant, notes] : m_notes) {
    if (!race) {
      result.update(notes.toJson());
    } else if (const auto side = result.find(variant); (variant == "a" || variant == "b") && side != result.end()) {
      side->update(notes.toJson());
    }
  }
}

}  // namespace atelier::lab
