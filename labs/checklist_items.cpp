// The items of the check-list, in order. Specs come from records that anybody may have written: what is mistyped is off.
#include <cstdint>
#include <string>

#include "checklist.h"
#include "core/wire/json_read.h"

namespace atelier::lab {
namespace {

using nlohmann::json;

std::int64_t wholeAt(const json& spec, const char* key, std::int64_t otherwise) {
  const auto value = wire::memberAt(spec, key);
  return value.is_number_integer() ? value.get<std::int64_t>() : otherwise;
}

bool isOn(const std::string& value) {
  return !value.empty() && value != "off";
}

bool profiled(const json& spec) {
  return isOn(wire::textAt(spec, "profile"));
}

json toProfile(const json&) {
  return {{"profile", "on"}};
}

bool loadsAhead(const json& spec) {
  return wholeAt(spec, "workers", 0) > 0;
}

json toLoadAhead(const json&) {
  return {{"workers", 1}};
}

bool mixed(const json& spec) {
  const auto precision = wire::textAt(spec, "precision");
  return precision == "bf16" || precision == "bf16-pure" || precision == "fp16" || precision == "fp8";
}

json toMixed(const json&) {
  return {{"precision", "bf16"}};
}

bool accumulates(const json& spec) {
  return wholeAt(spec, "accumulation", 1) > 1;
}

// As many samples an update as before where the batch can be parted, in a fraction of the memory; else more of them.
json toAccumulate(const json& spec) {
  constexpr std::int64_t kParts = 4, kLeast = 4;
  const auto batch = wholeAt(spec, "batch", 0);
  json change{{"accumulation", kParts}};
  if (batch >= kParts * kLeast && batch % kParts == 0) change["batch"] = batch / kParts;
  return change;
}

bool checkpoints(const json& spec) {
  return isOn(wire::textAt(spec, "checkpointing"));
}

json toCheckpoint(const json&) {
  return {{"checkpointing", "every:1"}};
}

}  // namespace

const std::vector<ChecklistItem>& checklistItems() {
  using Aim = ChecklistItem::Aim;
  static const std::vector<ChecklistItem> all{
      {"profiler",
       Aim::Look,
       "checklist.profiler",
       "checklist.profiler.brings",
       "checklist.profiler.next",
       "1.2",
       {"profile", "profile_shapes", "profile_memory", "profile_modules"},
       profiled,
       toProfile},
      {"loader",
       Aim::Speed,
       "checklist.loader",
       "checklist.loader.brings",
       "checklist.loader.next",
       "2.3",
       {"workers", "prefetch", "pinned", "non_blocking", "persistent"},
       loadsAhead,
       toLoadAhead},
      {"precision",
       Aim::Speed,
       "checklist.precision",
       "checklist.precision.brings",
       "checklist.precision.next",
       "2.2",
       {"precision", "master_weights", "fp8_scale", "scaler_initial_scale", "scaler_growth_interval", "scaler_growth_factor",
        "scaler_backoff_factor"},
       mixed,
       toMixed},
      {"accumulation",
       Aim::Batch,
       "checklist.accumulation",
       "checklist.accumulation.brings",
       "checklist.accumulation.next",
       "2.4",
       {"accumulation", "batch"},
       accumulates,
       toAccumulate},
      {"checkpointing",
       Aim::Memory,
       "checklist.checkpointing",
       "checklist.checkpointing.brings",
       "checklist.checkpointing.next",
       "2.4",
       {"checkpointing"},
       checkpoints,
       toCheckpoint},
  };
  return all;
}

}  // namespace atelier::lab
