// EventNotes: what a lab keeps of the events of a run, beside its summary, for predictions and checks to read. A side of a race
// has its own. Absent where nothing of the kind was told:
//   curve      {first, last, lowest, highest}   training losses of the measured blocks
//   formats    {weights | activations | gradients: {FORMAT: {zero, subnormal, overflow, lost, scaled, best_scale}}}
//              shares of all values that were counted (`watch`) and are finite and not 0: what they would become in
//              wire/number_format.h's formats; `scaled`: still lost at the best power of two, `best_scale` (its exponent)
//   gradients  {first, last, largest, not_finite, update_ratio, first_over_last}   (`gradient_stats`): global norms; looks at
//              which the norm was not finite; the largest step of a layer's weights, over their size, at the last look; the
//              norm of the first weight's gradient over that of the last one's, at the first look
//   scale      {first, last, overflows, growths}   of a float16 training's loss scaling, also when it never changed
//   rollbacks  of a run that keeps a state to go back to
//   machine    {gpus, low_precision}   counts: GPUs, and instruction sets for matrix products in 16 bits
// Not thread-safe; a value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "core/wire/run_event.h"

namespace atelier::lab {

class EventNotes {
 public:
  void take(const wire::RunEvent& event);
  // Into the result of a run or a profile, or into those of both sides of a race. What is no object stays as it is.
  void addTo(nlohmann::json& result) const;

 private:
  struct Curve {
    double first = 0, last = 0, lowest = 0, highest = 0;
    void take(double loss);
    bool begun = false;
  };
  struct Norms {
    double first = 0, last = 0, largest = 0;
    std::int64_t not_finite = 0;
    double update_ratio = 0;
    std::optional<double> first_over_last{};
    void take(const wire::Gradients& gradients);
    bool begun = false;
  };
  struct Scale {
    double first = 0, last = 0;
    std::int64_t overflows = 0, growths = 0;
    void take(const wire::ScaleChanged& change);
  };
  struct Machine {
    std::int64_t gpus = 0, low_precision = 0;
  };
  struct Notes {
    Curve curve{};
    wire::ValueHistograms counted{};
    Norms norms{};
    std::optional<Scale> scale{};
    std::optional<std::int64_t> rollbacks{};
    std::optional<Machine> machine{};
    void start(const wire::RunStarted& started);
    nlohmann::json toJson() const;
  };

  std::map<std::string, Notes> m_notes;  // by variant; "" of a run
};

}  // namespace atelier::lab
