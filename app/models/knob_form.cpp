#include "knob_form.h"

namespace atelier::app {

namespace {

// The value that a knob stands at: the request's, which is the lab's with the learner's changes, else the option's default.
wire::Value present(const wire::Option& option, const nlohmann::json& a, const nlohmann::json* b) {
  for (const auto* source : {b, &a}) {
    if (!source || !source->is_object() || !source->contains(option.key)) continue;
    const auto value = wire::readValue(option, (*source)[option.key]);
    if (value) return *value;
  }
  return option.fallback;
}

}  // namespace

QVector<Knob> KnobForm::of(const lab::LabSession& session, const wire::Schema& schema) {
  QVector<Knob> knobs;
  const auto& step = session.step();
  if (!step.experiment) return knobs;
  const auto request = session.request(step.id);
  for (const auto& key : step.experiment->knobs)
    if (const auto* option = schema.find(key)) knobs.append({*option, present(*option, request.spec, nullptr), false});
  for (const auto& key : step.experiment->knobs_b)
    if (const auto* option = schema.find(key)) knobs.append({*option, present(*option, request.spec, &request.b), true});
  return knobs;
}

}  // namespace atelier::app
