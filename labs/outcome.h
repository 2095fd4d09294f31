// What a lab keeps of a run that has ended. Of a profile these are, beside the summary's members, the tables that the engine
// leaves in the run's folder (profile.json), cut down to what checks, plans and reports read:
//   operators  [{name, calls, self_ns, device_ns}]        by their own time, on the device where there is one
//   modules    [{path, type, forward_ns, backward_ns}]
//   breakdown  {steps, wall_ns, data_ns, forward_ns, backward_ns, optimizer_ns, other_ns, between_ns}
//   shares     {data, forward, backward, optimizer, other, between, copies, top}   of wall_ns, 0 … 1; copies: aten::copy_,
//              top: the three operators that take most
//   diagnosis  [{rule, severity, args, evidence, share, expected_gain, fix}]       worst first
//   plan       [{rule, set, predicted, cumulative}]
//   memory     {growth_per_step, allocations_per_step, allocated_bytes_per_step, peak_bytes}
//   peaks      {fp32_flops, bf16_flops, bytes_per_second, bf16_over_fp32}   of this machine, measured
//   relus      [{name, zeros}]     share of each ReLU's outputs that are zero, in the order of calls
//   dead_relus [{name, zeros}]     those with hardly anything else
//   relu_zeros                     the largest of these shares, absent without a ReLU
// Of a run, profiled or not, in which a NaN or an infinity was born while it was looked at:
//   origin     {module, operator, stage, step}
// Of a search for the largest batch:
//   batch             the largest that trains within the memory there is
//   out_of_memory_at  the smallest that was tried and does not; absent when nothing was too large
//   peak_bytes        of tensor storage at that batch
//   tries             [{batch, fits, peak_bytes, predicted_bytes}]   in their order
// Any thread; values, and one file that is read.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "check.h"
#include "core/wire/health.h"
#include "core/wire/summary.h"

namespace atelier::lab {

// Of all that was looked at while a run went, the first in which something that is not finite was born.
void noteOrigin(std::optional<wire::Health>& first, const wire::Health& looked);

// Of the verbs run and profile. `home`: $ATELIER_HOME, in which the run's folder lies. A profile whose file is missing or can't
// be read leaves the summary alone.
Outcome outcomeOf(const std::string& verb, const wire::RunSummary& summary, const std::optional<wire::Health>& origin,
                  const std::filesystem::path& home);

// Of the verb max-batch, from the object that the engine prints (`atelier-engine max-batch --json`). Without a batch that fits
// its result is an empty object, which no check can read.
Outcome batchOutcome(const nlohmann::json& answer);

// What such a result says: the largest batch and its memory, what came of the next, and last which were tried.
std::vector<wire::Message> batchFindings(const nlohmann::json& result);

// What is kept of the content of a profile.json; an empty object for what is none.
nlohmann::json keptOfProfile(const nlohmann::json& profile);

// The findings' titles ("rule.<id>.title" with its figures), worst first.
std::vector<wire::Message> findingTitles(const nlohmann::json& result);

}  // namespace atelier::lab
