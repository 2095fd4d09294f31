#include "ladder_text.h"

#include "core/wire/format.h"
#include "plan.h"

namespace atelier::lab {
namespace {

constexpr const char* kNone = "—";

class Teller {
 public:
  Teller(const Ladder& ladder, const wire::Catalog& catalog)
      : m_ladder(ladder), m_catalog(catalog), m_format(catalog.language()) {}

  LadderLine foot() const {
    auto line = with(m_ladder.foot);
    line.change = text("ladder.foot");
    line.factor = m_format.ratio(1);
    line.verdict = kNone;
    return line;
  }

  LadderLine rung(const Rung& rung) const {
    auto line = with(rung.with);
    line.change = changeText(rung.set);
    line.keys = true;
    if (rung.gain) {
      line.gain = m_format.ratio(rung.gain->median);
      line.interval = m_format.interval(*rung.gain);
    }
    if (rung.factor) {
      line.factor = m_format.ratio(rung.factor->median);
      line.factor_range = rung.factor->count > 0 ? m_format.interval(*rung.factor) : std::string();
    }
    line.verdict = verdict(rung.verdict, rung.kept_quality);
    return line;
  }

  LadderLine whole() const {
    auto line = with(m_ladder.top);
    line.change = text("ladder.whole");
    if (m_ladder.whole) {
      line.factor = m_format.ratio(m_ladder.whole->median);
      line.factor_range = m_format.interval(*m_ladder.whole);
    }
    line.verdict = text(!m_ladder.whole_quality ? "ladder.whole_worse" : "ladder.whole_measured");
    return line;
  }

 private:
  std::string text(const char* id) const { return m_catalog.text(std::string(id)); }

  std::string verdict(const std::string& said, bool quality) const {
    if (said.empty()) return text("lab.plan_to_race");
    if (said == "faster") return text(quality ? "lab.plan_faster" : "lab.plan_worse");
    if (said == "slower") return text("lab.plan_slower");
    return text(said == "no-difference" ? "lab.plan_no_difference" : "lab.plan_undecided");
  }

  LadderLine with(const LadderFigures& figures) const {
    LadderLine line;
    line.gain = line.factor = line.rate = line.epoch = line.memory = line.accuracy = kNone;
    if (figures.samples_per_second) line.rate = m_format.number(*figures.samples_per_second);
    if (const auto seconds = epochSeconds(m_ladder, figures)) line.epoch = m_format.duration(*seconds);
    if (figures.peak_bytes > 0) line.memory = m_format.bytes(figures.peak_bytes);
    if (figures.accuracy) line.accuracy = m_format.percent(*figures.accuracy);
    return line;
  }

  const Ladder& m_ladder;
  const wire::Catalog& m_catalog;
  wire::Format m_format;
};

// Bars would end a cell of the table.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

std::string joined(const std::string& figure, const std::string& range) {
  return range.empty() ? figure : figure + " " + range;
}

}  // namespace

std::vector<LadderLine> ladderLines(const Ladder& ladder, const wire::Catalog& catalog) {
  const Teller teller(ladder, catalog);
  std::vector<LadderLine> lines{teller.foot()};
  for (const auto& rung : ladder.rungs) lines.push_back(teller.rung(rung));
  if (!ladder.whole_verdict.empty()) lines.push_back(teller.whole());
  return lines;
}

std::vector<std::string> ladderHead(const wire::Catalog& catalog) {
  std::vector<std::string> head;
  for (const char* id : {"lab.plan_change", "ladder.gain", "ladder.factor", "ladder.rate", "ladder.epoch", "ladder.memory",
                         "ladder.accuracy", "lab.plan_verdict"})
    head.push_back(catalog.text(std::string(id)));
  return head;
}

std::string ladderMarkdown(const Ladder& ladder, const wire::Catalog& catalog) {
  std::string table, rule;
  for (const char* id : {"lab.plan_change", "ladder.gain", "ladder.factor", "ladder.rate", "lab.plan_verdict"}) {
    table += "| " + cell(catalog.text(std::string(id))) + " ";
    rule += "|---";
  }
  table += "|\n" + rule + "|\n";
  for (const auto& line : ladderLines(ladder, catalog)) {
    const auto change = line.keys ? "`" + line.change + "`" : line.change;
    for (const auto& text :
         {change, joined(line.gain, line.interval), joined(line.factor, line.factor_range), line.rate, line.verdict})
      table += "| " + cell(text) + " ";
    table += "|\n";
  }
  return table;
}

}  // namespace atelier::lab
