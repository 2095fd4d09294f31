#include "check_course.h"

#include <QDateTime>

#include "core/wire/format.h"
#include "labs/class/class.h"
#include "labs/course_check.h"
#include "labs/plain_text.h"

namespace atelier::app {
namespace {

QString indented(const nlohmann::json& object) {
  return QString::fromStdString(object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

class CourseTeller {
 public:
  CourseTeller(Terminal& terminal, const wire::Catalog& catalog)
      : m_terminal(terminal), m_catalog(catalog), m_format(catalog.language()) {}

  void tell(const lab::CourseReport& report) {
    for (const auto& problem : report.problems) tell(problem);
    for (const auto& lab : report.labs)
      if (!lab.id.empty()) tell(lab);
    if (report.left_out > 0) print({"course.left_out", {{"count", m_format.integer(report.left_out)}}});
    print({"course.total",
           {{"labs", m_format.integer(static_cast<std::int64_t>(report.labs.size()))},
            {"errors", m_format.integer(report.errors)},
            {"warnings", m_format.integer(report.warnings)}}});
  }

 private:
  void print(const wire::Message& message) { m_terminal.print(QString::fromStdString(m_catalog.text(message))); }

  void tell(const lab::Problem& problem) {
    constexpr std::size_t kLongestPath = 4096;
    const bool error = problem.severity == lab::Severity::Error;
    const auto file = lab::plainLine(problem.file, kLongestPath);
    print({"course.line",
           {{"place", problem.line > 0 ? file + ":" + std::to_string(problem.line) : file},
            {"severity", m_catalog.text(std::string(error ? "course.severity.error" : "course.severity.warning"))},
            {"reason", lab::reasonText(problem, m_catalog)}}});
  }

  void tell(const lab::CheckedLab& lab) {
    std::string languages;
    for (const auto& language : lab.languages) languages += (languages.empty() ? "" : ", ") + language;
    print({"course.lab_line",
           {{"number", lab.number},
            {"id", lab.id},
            {"steps", m_format.integer(lab.steps)},
            {"experiments", m_format.integer(lab.experiments)},
            {"seconds", m_format.duration(lab.seconds)},
            {"checks", m_format.integer(lab.checks)},
            {"recorded", m_format.integer(lab.recorded)},
            {"languages", languages.empty() ? "—" : languages},
            {"minutes", m_format.integer(lab.minutes)}}});
  }

  Terminal& m_terminal;
  const wire::Catalog& m_catalog;
  wire::Format m_format;
};

}  // namespace

wire::ExitCode checkCourse(Terminal& terminal, const wire::Catalog& catalog, const std::filesystem::path& folder,
                           const wire::Result<wire::Schema>& schema, Form form) {
  const auto report = lab::checkCourse(folder, schema.ok() ? &*schema : nullptr);
  if (!schema.ok()) {
    const auto& messages = schema.error().messages;
    const auto why = messages.empty() ? std::string("—") : catalog.text(messages.front());
    terminal.tell(QString::fromStdString(catalog.text(wire::Message{"course.no_schema", {{"why", why}}})));
  }
  if (form == Form::Json) terminal.print(indented(lab::toJson(report, catalog)));
  else CourseTeller(terminal, catalog).tell(report);
  return report.sound() ? wire::ExitCode::Done : wire::ExitCode::Usage;
}

wire::ExitCode printClass(Terminal& terminal, const wire::Catalog& catalog, const std::filesystem::path& folder, Form form) {
  const auto all = lab::readClass(folder, QDateTime::currentMSecsSinceEpoch());
  std::error_code error;
  const bool missing = !std::filesystem::is_directory(folder, error);
  if (missing)
    for (const auto& problem : all.problems) terminal.tell(QString::fromStdString(catalog.text(problem)));
  if (missing && form != Form::Json) return wire::ExitCode::Usage;
  if (form == Form::Json) terminal.print(indented(lab::toJson(all, catalog)));
  else if (form == Form::Csv) terminal.print(QString::fromStdString(lab::toCsv(all)).trimmed());
  else terminal.print(QString::fromStdString(lab::toMarkdown(all, catalog)).trimmed());
  return missing ? wire::ExitCode::Usage : wire::ExitCode::Done;
}

}  // namespace atelier::app
