// KnobForm: what a step lets the learner change, with each knob's option and present value: first those of both variants, then
// those of variant b alone. Built from the lab, the learner's progress and the engine's schema; a key that the schema does not
// know gives no knob. Pure; GUI thread.
#pragma once

#include <QVector>

#include <nlohmann/json.hpp>

#include "core/wire/option.h"
#include "labs/session.h"

namespace atelier::app {

struct Knob {
  wire::Option option;
  wire::Value value;
  bool variantB = false;
  bool operator==(const Knob& other) const {
    return option.key == other.option.key && value == other.value && variantB == other.variantB;
  }
};

class KnobForm {
 public:
  static QVector<Knob> of(const lab::LabSession& session, const wire::Schema& schema);
};

}  // namespace atelier::app
