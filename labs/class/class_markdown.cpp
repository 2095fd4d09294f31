// A class for people: Markdown whose tables are aligned, so that they read in a terminal as they stand.
#include <algorithm>

#include "class.h"
#include "core/wire/format.h"
#include "labs/plain_text.h"

namespace atelier::lab {
namespace {

using Row = std::vector<std::string>;

// Characters, as far as a terminal's columns go with them.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Typed text that must not become markup.
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (std::string_view("\\|<>*_`[]").find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

std::string table(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i == widths.size()) widths.push_back(3);
      widths[i] = std::max(widths[i], width(row[i]));
    }
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t i = 0; i < rows[r].size(); ++i)
      text += "| " + rows[r][i] + std::string(widths[i] - width(rows[r][i]) + 1, ' ');
    text += "|\n";
    if (r > 0) continue;
    for (const auto column : widths) text += "|" + std::string(column + 2, '-');
    text += "|\n";
  }
  return text;
}

class Writer {
 public:
  Writer(const Class& all, const wire::Catalog& catalog) : m_class(all), m_catalog(catalog), m_format(catalog.language()) {}

  std::string write() {
    m_all = "# " + text("class.title") + "\n\n" +
            text("class.summary", {{"learners", number(m_class.learners.size())},
                                   {"labs", number(m_class.labs.size())},
                                   {"time", time(m_class.latest_ms)}}) +
            "\n";
    if (!m_class.learners.empty()) learners();
    for (const auto& lab : m_class.labs) this->lab(lab);
    problems();
    return std::move(m_all);
  }

 private:
  using Args = std::vector<std::pair<std::string, std::string>>;

  std::string text(const std::string& id, Args args = {}) const { return m_catalog.text(wire::Message{id, std::move(args)}); }
  std::string number(std::size_t value) const { return m_format.integer(static_cast<std::int64_t>(value)); }
  std::string number(int value) const { return m_format.integer(value); }
  std::string share(int part, int whole) const { return number(part) + " / " + number(whole); }
  // "2026-11-30 10:45 UTC"
  static std::string time(std::int64_t unix_ms) {
    constexpr std::size_t kToMinutes = 16;
    auto iso = isoTime(unix_ms);
    if (iso.size() < kToMinutes) return "—";
    iso[10] = ' ';
    return iso.substr(0, kToMinutes) + " UTC";
  }
  std::string figure(double value, const std::string& quantity) const {
    const bool isRatio = quantity == "ratio" || quantity.ends_with(".ratio");
    return isRatio ? m_format.ratio(value) : m_format.number(value);
  }

  void section(const std::string& title, const std::vector<Row>& rows) {
    if (rows.size() > 1) m_all += "\n**" + title + "**\n\n" + table(rows);
  }

  void learners() {
    std::vector<Row> rows{{text("class.column.learner"), text("class.column.progress"), text("class.column.passed"),
                           text("class.column.failed"), text("class.column.at"), text("class.column.activity"),
                           text("class.column.machine")}};
    for (const auto& learner : m_class.learners) {
      std::string at;
      for (const auto& lab : learner.labs)
        if (lab.at()) at += (at.empty() ? "" : ", ") + escaped(lab.number + " " + lab.at()->id);
      if (learner.stuck()) at += " (" + text("class.stuck") + ")";
      const auto& machine = learner.labs.back().machine;
      rows.push_back({escaped(learner.label), share(learner.stepsDone(), learner.steps()),
                      number(learner.count(CheckState::Passed)), number(learner.count(CheckState::Failed)),
                      at.empty() ? text("class.finished") : at, time(learner.last_activity_ms),
                      escaped(machine.cpu) + " · " + number(machine.cores)});
    }
    m_all += "\n## " + text("class.learners") + "\n\n" + table(rows);
  }

  void lab(const LabRollUp& lab) {
    m_all += "\n## " + escaped(lab.number + " " + lab.title) + "\n\n" +
             text("class.lab",
                  {{"learners", number(lab.learners)}, {"finished", number(lab.finished)}, {"stuck", number(lab.stuck)}}) +
             "\n";
    steps(lab);
    measured(lab);
    predictions(lab);
    checks(lab);
  }

  void steps(const LabRollUp& lab) {
    std::vector<Row> rows{{text("class.column.step"), text("class.column.done"), text("class.column.here"),
                           text("class.column.hints"), text("class.column.solutions")}};
    for (const auto& step : lab.steps)
      rows.push_back({escaped(step.title.empty() ? step.id : step.title), share(step.done, step.learners), number(step.here),
                      number(step.hints_shown), number(step.solutions_shown)});
    section(text("class.steps"), rows);
  }

  void measured(const LabRollUp& lab) {
    std::vector<Row> rows{{text("class.column.step"), text("class.column.quantity"), text("class.column.count"),
                           text("class.column.min"), text("class.column.low"), text("class.column.median"),
                           text("class.column.high"), text("class.column.max"), text("class.column.undecided")}};
    for (const auto& one : lab.measured) {
      const auto& d = one.distribution;
      const auto shown = [&](double value) { return d.count > 0 ? figure(value, one.quantity) : std::string("—"); };
      rows.push_back({escaped(one.step), escaped(one.quantity), number(d.count), shown(d.min), shown(d.low), shown(d.median),
                      shown(d.high), shown(d.max), number(one.undecided)});
    }
    section(text("class.measured"), rows);
  }

  void predictions(const LabRollUp& lab) {
    std::vector<Row> rows{{text("class.column.step"), text("class.column.quantity"), text("class.column.predicted"),
                           text("class.column.low"), text("class.column.median"), text("class.column.high")}};
    for (const auto& one : lab.predictions) {
      const auto shown = [&](double value) { return one.ratio.count > 0 ? m_format.ratio(value) : std::string("—"); };
      rows.push_back({escaped(one.step), escaped(one.quantity), share(one.predicted, one.learners), shown(one.ratio.low),
                      shown(one.ratio.median), shown(one.ratio.high)});
    }
    section(text("class.predictions"), rows);
  }

  void checks(const LabRollUp& lab) {
    std::vector<Row> rows{{text("class.column.step"), text("class.column.check"), text("class.column.passed"),
                           text("class.column.failed"), text("class.column.noise"), text("class.column.open"),
                           text("class.column.share")}};
    for (const auto& check : lab.checks) {
      const auto id = "check." + check.kind + ".name";
      const auto passed = check.sharePassed();
      rows.push_back({escaped(check.step), m_catalog.has(id) ? m_catalog.text(id) : escaped(check.check), number(check.passed),
                      number(check.failed), number(check.noise), number(check.not_run + check.not_predicted),
                      passed ? m_format.percent(*passed, 0) : "—"});
    }
    section(text("class.checks"), rows);
  }

  void problems() {
    constexpr std::size_t kLongest = 1000;
    if (m_class.superseded > 0) m_all += "\n" + text("class.superseded", {{"count", number(m_class.superseded)}}) + "\n";
    if (m_class.problems.empty()) return;
    m_all += "\n## " + text("class.problems") + "\n\n";
    for (const auto& problem : m_class.problems) m_all += "- " + escaped(plainLine(m_catalog.text(problem), kLongest)) + "\n";
  }

  const Class& m_class;
  const wire::Catalog& m_catalog;
  wire::Format m_format;
  std::string m_all;
};

}  // namespace

std::string toMarkdown(const Class& all, const wire::Catalog& catalog) {
  return Writer(all, catalog).write();
}

}  // namespace atelier::lab
