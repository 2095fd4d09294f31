// What is kept of a profiled run beside its events: trace.json.gz, which any trace viewer opens, and profile.json, the tables
// and the diagnosis made from it. Main thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/engine/session/session.h"
#include "core/trace/diagnosis.h"
#include "core/trace/plan.h"
#include "core/wire/catalog.h"

namespace atelier::worker {

// A trace with all that was made of it.
struct Profile {
  trace::Trace trace;
  trace::Report report;
  std::vector<trace::Finding> findings;
  std::vector<trace::PlanStep> plan;
  wire::Health health{};
};

Profile makeProfile(engine::ProfileMade made, const wire::RunSpec& spec, const wire::RunSummary& summary);
// Of a trace that another program made: no spec, no summary.
Profile makeProfile(trace::Trace trace, const trace::Peaks& peaks);

// operators, modules, breakdown, …, diagnosis, plan, health. With texts each finding also says its sentences in their language.
nlohmann::json profileJson(const Profile& profile, const wire::Catalog* texts);

// Both files, each whole or not at all.
wire::Status writeProfile(const std::filesystem::path& folder, const Profile& profile);

}  // namespace atelier::worker
