// The steps of a script that torch.profiler looks at.
#include "core/engine/profile/schedule.h"
#include "parts.h"

namespace atelier::engine {
namespace {

constexpr std::string_view kProfile = R"py(
def profile(@runner@: @Runner@, report: Report) -> None:
    """Looks at a few more steps; Perfetto and chrome://tracing open the trace."""
    report.phase("profiling")
    schedule = torch.profiler.schedule(@profileSchedule@)
    with torch.profiler.profile(
        schedule=schedule,
        @profileOptions@
    ) as profiler:
        for _ in range(PROFILED_STEPS):
            @runner@.step()
            profiler.step()
    profiler.export_chrome_trace("trace.json")
    if not report.as_json:
        print(profiler.key_averages().table(sort_by="self_cpu_time_total", row_limit=12))
)py";

}  // namespace

void addProfile(ScriptBuilder& script) {
  const auto schedule = parseSchedule(script.text("profile"));
  const bool shapes = script.flag("profile_shapes"), memory = script.flag("profile_memory"),
             modules = script.flag("profile_modules");
  if (!schedule.ok() || !schedule->has_value()) return;
  const auto& s = **schedule;
  script.constant("PROFILED_STEPS", std::to_string(s.steps()), "of which torch.profiler keeps the active ones");
  const auto part = [](const char* name, std::int64_t value) { return name + std::to_string(value); };
  script.word("profileSchedule", part("wait=", s.wait) + part(", warmup=", s.warmup) + part(", active=", s.active) +
                                     part(", repeat=", s.repeat) +
                                     (s.skip_first > 0 ? part(", skip_first=", s.skip_first) : ""));
  std::string options;
  if (shapes) options += "record_shapes=True,\n";
  if (memory) options += "profile_memory=True,\n";
  if (modules) options += "with_stack=True,  # Python's frames name the modules\n";
  if (!options.empty()) {
    options.pop_back();
    script.fill("profileOptions", options);
  }
  script.define(kProfile);
  script.fill("profiling", "profile(@runner@, report)");
}

}  // namespace atelier::engine
