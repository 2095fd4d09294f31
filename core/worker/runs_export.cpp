#include "runs_export.h"

#include "core/wire/number.h"

namespace atelier::worker {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

std::string cell(std::optional<double> value) {
  return value ? wire::numberText(*value) : "";
}

nlohmann::json whole(registry::Registry& registry, const registry::RunRecord& run) {
  auto events = nlohmann::json::array();
  if (const auto read = registry.events(run.id); read.ok())
    for (const auto& event : *read)
      if (auto line = wire::parseJson(wire::encodeEvent(event))) events.push_back(std::move(*line));
  nlohmann::json environment;
  if (const auto text = registry::readWhole(run.folder / "environment.json"); text.ok())
    if (auto json = wire::parseJson(*text)) environment = std::move(*json);
  return {{"id", run.id},
          {"spec", run.spec},
          {"environment", environment},
          {"summary", wire::toJson(run.summary)},
          {"events", events}};
}

}  // namespace

std::string runsCsv(const std::vector<registry::RunRecord>& runs) {
  std::string csv =
      "id,name,status,model,data,batch,samples_per_second,low,high,step_p50_ms,step_p99_ms,peak_bytes,rss_bytes,loss,accuracy,"
      "seed\r\n";
  for (const auto& run : runs) {
    const auto& s = run.summary;
    const auto word = [&](const char* key) {
      return run.spec.is_object() && run.spec.contains(key) && run.spec[key].is_string() ? run.spec[key].get<std::string>()
                                                                                         : "";
    };
    const auto rate = s.samples_per_second;
    csv += quoted(run.id) + "," + quoted(run.labels.name) + "," + s.status + "," + quoted(word("model")) + "," +
           quoted(word("data")) + ",";
    csv += (run.spec.is_object() && run.spec.contains("batch") ? run.spec["batch"].dump() : "") + ",";
    csv += cell(rate ? std::optional(rate->median) : std::nullopt) + "," +
           cell(rate ? std::optional(rate->low) : std::nullopt) + "," + cell(rate ? std::optional(rate->high) : std::nullopt) +
           "," + cell(s.step_p50) + "," + cell(s.step_p99) + ",";
    csv += std::to_string(s.peak_memory_bytes.total) + "," + std::to_string(s.rss_bytes) + "," + cell(s.loss) + "," +
           cell(s.accuracy) + "," + std::to_string(s.seed) + "\r\n";
  }
  return csv;
}

wire::ExitCode exportRuns(const Console& console, registry::Registry& registry, const std::vector<std::string>& ids,
                          const std::string& file) {
  std::vector<registry::RunRecord> runs;
  for (const auto& id : ids) {
    auto run = registry.find(id);
    if (!run.ok()) {
      console.fail(run.error());
      return run.error().code;
    }
    runs.push_back(*run);
  }
  std::string content;
  if (file.ends_with(".csv")) content = runsCsv(runs);
  else {
    nlohmann::json all{{"format", "atelier-runs"}, {"version", 1}, {"runs", nlohmann::json::array()}};
    for (const auto& run : runs) all["runs"].push_back(whole(registry, run));
    content = all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }
  if (file.empty()) {
    console.print(content);
    return wire::ExitCode::Done;
  }
  const auto written = registry::writeWhole(file, content);
  if (!written.ok()) console.fail(written.error());
  return written.ok() ? wire::ExitCode::Done : written.error().code;
}

}  // namespace atelier::worker
