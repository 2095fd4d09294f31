#include "results.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <random>
#include <system_error>

#include "class.h"
#include "core/registry/registry.h"
#include "core/wire/number.h"
#include "labs/check_support.h"
#include "labs/lab_file.h"
#include "labs/plain_text.h"

namespace atelier::lab {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kVersion = 1;

std::string fileText(const json& content) {
  return content.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string randomMark() {
  std::random_device source;
  char mark[32];
  std::snprintf(mark, sizeof mark, "%08x%08x", static_cast<unsigned>(source()), static_cast<unsigned>(source()));
  return mark;
}

bool isMark(const std::string& text) {
  constexpr std::size_t kLength = 16;
  return text.size() == kLength && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

wire::Error notWritten(const fs::path& file, const std::string& reason) {
  return {wire::ExitCode::Failed, wire::Message{"class.not_written", {{"file", file.string()}, {"reason", reason}}}};
}

json machineJson(const json& environment) {
  auto machine = json::object();
  if (!environment.is_object()) return machine;
  for (const char* key : {"cpu", "cores", "memory_bytes", "gpus"})
    if (const auto found = environment.find(key); found != environment.end()) machine[key] = *found;
  return machine;
}

json stepsJson(const LabSession& session) {
  auto steps = json::array();
  for (const auto& step : session.lab().steps) {
    const auto& made = session.progress(step.id);
    const auto right = std::count_if(step.quiz.begin(), step.quiz.end(), [&](const Question& question) {
      const auto chosen = made.quiz.find(question.id);
      return chosen != made.quiz.end() && chosen->second == question.answer;
    });
    steps.push_back({{"id", step.id},
                     {"title", step.title},
                     {"done", session.done(step.id)},
                     {"experiment", step.experiment.has_value()},
                     {"hints_shown", made.hints_shown},
                     {"solution_shown", made.solution_shown},
                     {"questions", step.quiz.size()},
                     {"right", right},
                     {"runs", made.outcome ? json(made.outcome->run_ids) : json::array()}});
  }
  return steps;
}

json checksJson(const LabSession& session) {
  const auto results = session.allChecks();
  auto checks = toJson(results);
  for (std::size_t i = 0; i < results.size(); ++i) checks[i]["kind"] = results[i].kind;
  return checks;
}

json predictionsJson(const LabSession& session) {
  auto predictions = json::array();
  for (const auto& compared : session.predictions()) {
    json entry{{"step", compared.step}, {"quantity", compared.quantity}, {"unit", compared.unit}};
    wire::putNumber(entry, "predicted", compared.predicted);
    if (compared.measured) entry["measured"] = wire::toJson(*compared.measured);
    predictions.push_back(std::move(entry));
  }
  return predictions;
}

json measuredJson(const LabSession& session) {
  auto measured = json::array();
  for (const auto& step : session.lab().steps) {
    const auto& outcome = session.progress(step.id).outcome;
    if (!outcome || hasFailed(outcome->result)) continue;
    const std::string quantity = outcome->verb == "race" ? "ratio" : "samples_per_second";
    const auto figure = figureAt(outcome->result, quantity);
    if (!figure) continue;
    json entry{{"step", step.id}, {"quantity", quantity}, {"value", wire::toJson(*figure)}};
    if (const auto verdict = outcome->result.find("verdict"); verdict != outcome->result.end()) entry["verdict"] = *verdict;
    measured.push_back(std::move(entry));
  }
  return measured;
}

// Whether the folder holds this learner's results of this lab.
bool isOwn(const fs::path& folder, const LabSession& session, const ResultsAbout& about) {
  std::error_code error;
  if (fs::symlink_status(folder, error).type() != fs::file_type::directory) return false;
  const auto content = registry::readWhole(folder / "results.json", kLargestResult);
  const auto results = content.ok() ? wire::parseJson(*content) : std::nullopt;
  if (!results || !results->is_object()) return false;
  const auto equals = [&](const char* key, const std::string& wanted) { return results->value(key, json()) == wanted; };
  return equals("lab", session.lab().id) && equals("learner", plainLine(about.learner)) && equals("origin", about.origin);
}

class Writer {
 public:
  Writer(const LabSession& session, const ResultsAbout& about) : m_session(session), m_about(about) {}

  // All files into a folder that is there; results.json last, so that whoever reads it finds the others.
  wire::Status write(const fs::path& folder) const {
    std::error_code error;
    const auto specs = folder / "specs";
    fs::create_directory(specs, error);
    if (error) return notWritten(specs, error.message());
    // On a shared drive others can write too: no link is followed to where it would lead.
    if (fs::symlink_status(specs, error).type() != fs::file_type::directory)
      return notWritten(specs, std::make_error_code(std::errc::not_a_directory).message());
    for (const auto& step : m_session.lab().steps) {
      const auto file = specs / (step.id + ".json");
      if (!step.experiment || !m_session.progress(step.id).outcome) {
        fs::remove(file, error);
        continue;
      }
      const auto request = m_session.request(step.id);
      if (auto status = put(file, {{"verb", request.verb}, {"spec", request.spec}, {"b", request.b}}); !status) return status;
    }
    if (auto status = put(folder / "checks.json", toJson(m_session.allChecks())); !status) return status;
    return put(folder / "results.json", resultsJson(m_session, m_about));
  }

  // A folder that was not there before appears with all its files. `taken` when the name is taken meanwhile.
  wire::Status create(const fs::path& folder, bool& taken) const {
    const auto beside = folder.parent_path() / (".results-" + randomMark());
    std::error_code error, ignored;
    fs::create_directory(beside, error);
    if (error) return notWritten(beside, error.message());
    auto status = write(beside);
    if (status.ok()) fs::rename(beside, folder, error);
    taken = error == std::errc::directory_not_empty || error == std::errc::file_exists || error == std::errc::not_a_directory;
    if (!status.ok() || error) fs::remove_all(beside, ignored);
    if (!status.ok()) return status;
    if (error) return notWritten(folder, error.message());
    return wire::success();
  }

 private:
  static wire::Status put(const fs::path& file, const json& content) {
    const auto written = registry::writeWhole(file, fileText(content));
    if (written.ok()) return wire::success();
    const auto& args = written.error().messages.front().args;
    const auto reason = std::find_if(args.begin(), args.end(), [](const auto& arg) { return arg.first == "reason"; });
    return notWritten(file, reason == args.end() ? "" : reason->second);
  }

  const LabSession& m_session;
  const ResultsAbout& m_about;
};

}  // namespace

json resultsJson(const LabSession& session, const ResultsAbout& about) {
  const auto& lab = session.lab();
  return {{"v", kVersion},
          {"kind", "atelier-results"},
          {"learner", plainLine(about.learner)},
          {"origin", about.origin},
          {"lab", lab.id},
          {"number", lab.number},
          {"title", lab.title},
          {"written_ms", about.now_ms},
          {"machine", machineJson(about.machine)},
          {"steps", stepsJson(session)},
          {"checks", checksJson(session)},
          {"predictions", predictionsJson(session)},
          {"measured", measuredJson(session)}};
}

wire::Result<fs::path> writeResults(const fs::path& folder, const LabSession& session, const ResultsAbout& about) {
  constexpr int kMostOfOneName = 200;
  std::error_code error;
  if (!fs::is_directory(folder, error))
    return wire::Error{wire::ExitCode::Failed, wire::Message{"class.no_folder", {{"folder", folder.string()}}}};
  const Writer writer(session, about);
  const auto stem = fileStem(about.learner) + "-" + session.lab().id;
  for (int number = 1; number <= kMostOfOneName; ++number) {
    const auto target = folder / (number == 1 ? stem : stem + "-" + std::to_string(number));
    if (isThere(target)) {
      if (!isOwn(target, session, about)) continue;
      const auto status = writer.write(target);
      if (!status.ok()) return status.error();
      return target;
    }
    bool taken = false;
    const auto status = writer.create(target, taken);
    if (status.ok()) return target;
    if (!taken) return status.error();
  }
  return wire::Error{wire::ExitCode::Failed, wire::Message{"class.names_taken", {{"folder", folder.string()}, {"name", stem}}}};
}

std::string originOf(const fs::path& home) {
  constexpr std::uintmax_t kLargest = 64;
  const auto file = home / "course" / "origin";
  if (auto kept = registry::readWhole(file, kLargest); kept.ok()) {
    while (kept->ends_with('\n')) kept->pop_back();
    if (isMark(*kept)) return *kept;
  }
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  const auto mark = randomMark();
  return registry::writeWhole(file, mark + "\n").ok() ? mark : std::string();
}

}  // namespace atelier::lab
