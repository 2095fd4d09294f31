// Tint: what the colour of a box in a drawing of a trace says: the stage that it belongs to, or, where that says more, what
// kind of thing it is. Colours themselves are the theme's (plots/trace_palette.h). Pure.
#pragma once

#include <cstdint>

#include "core/trace/trace.h"

namespace atelier::app {

enum class Tint : std::uint8_t { Plain, Data, Forward, Backward, Optimizer, Other, Step, Copy, Wait };
inline constexpr std::size_t kTints = 9;

constexpr Tint tintOf(trace::Stage stage) {
  switch (stage) {
    case trace::Stage::Data:
      return Tint::Data;
    case trace::Stage::Forward:
      return Tint::Forward;
    case trace::Stage::Backward:
      return Tint::Backward;
    case trace::Stage::Optimizer:
      return Tint::Optimizer;
    case trace::Stage::Other:
      return Tint::Other;
    case trace::Stage::None:
      break;
  }
  return Tint::Plain;
}

constexpr Tint tintOf(trace::Kind kind, trace::Stage stage) {
  switch (kind) {
    case trace::Kind::Step:
      return Tint::Step;
    case trace::Kind::Copy:
    case trace::Kind::Set:
      return Tint::Copy;
    case trace::Kind::Synchronize:
      return Tint::Wait;
    case trace::Kind::Loader:
      return Tint::Data;
    default:
      return tintOf(stage);
  }
}

}  // namespace atelier::app
