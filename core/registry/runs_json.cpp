#include "runs_json.h"

#include "core/wire/number.h"

namespace atelier::registry {
namespace {

nlohmann::json whole(Registry& registry, const RunRecord& run) {
  auto events = nlohmann::json::array();
  if (const auto read = registry.events(run.id); read.ok())
    for (const auto& event : *read)
      if (auto line = wire::parseJson(wire::encodeEvent(event))) events.push_back(std::move(*line));
  nlohmann::json environment;
  if (const auto text = readWhole(run.folder / "environment.json"); text.ok())
    if (auto object = wire::parseJson(*text)) environment = std::move(*object);
  return {{"id", run.id},
          {"spec", run.spec},
          {"environment", environment},
          {"summary", wire::toJson(run.summary)},
          {"events", events}};
}

}  // namespace

std::string runsJson(Registry& registry, const std::vector<const RunRecord*>& runs) {
  nlohmann::json all{{"format", "atelier-runs"}, {"version", 1}, {"runs", nlohmann::json::array()}};
  for (const auto* run : runs) all["runs"].push_back(whole(registry, *run));
  return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace atelier::registry
