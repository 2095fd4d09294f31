#include "plan_texts.h"

#include "core/trace/diagnosis_text.h"
#include "spec_edit.h"

namespace atelier::app {

QStringList PlanTexts::head() const {
  QStringList texts;
  for (const char* id : {"profileview.plan.step", "profileview.plan.change", "profileview.plan.expected",
                         "profileview.plan.measured", "profileview.plan.verdict"})
    texts << m_words.text(id);
  return texts;
}

QString PlanTexts::change(const PlanRung& rung) const {
  return QString::fromStdString(specWords(m_schema, nlohmann::json(rung.set)));
}

QString PlanTexts::measured(const PlanRung& rung) const {
  if (!rung.race || !rung.race->ratio) return QStringLiteral("—");
  return ratio(rung.race->ratio->median) + QLatin1Char(' ') +
         QString::fromStdString(m_words.format().interval(*rung.race->ratio));
}

QString PlanTexts::verdict(const PlanModel& plan, std::size_t rung) const {
  if (plan.racing() == rung) return m_words.text("profileview.plan.racing");
  const auto& raced = plan.rungs()[rung];
  if (!raced.race) return m_words.text("profileview.plan.open");
  const auto id = "racepage.verdict." + raced.race->verdict;
  const auto text = m_words.catalog().has(id) ? m_words.text(id) : QString::fromStdString(raced.race->verdict);
  return (raced.kept ? QStringLiteral("✓ ") : QString()) + text;
}

std::vector<TextTable::Row> PlanTexts::rows(const PlanModel& plan) const {
  std::vector<TextTable::Row> rows;
  for (std::size_t i = 0; i < plan.rungs().size(); ++i) {
    const auto& rung = plan.rungs()[i];
    const auto expected =
        m_words.text(wire::Message{"profileview.plan.predicted", {{"ratio", m_words.format().ratio(rung.predicted)}}});
    rows.push_back(
        {{QString::number(i + 1), change(rung), expected, measured(rung), verdict(plan, i)}, TextTable::RowKind::Text});
  }
  return rows;
}

QString PlanTexts::sum(const PlanModel& plan) const {
  if (plan.rungs().empty()) return m_words.text("profileview.plan.none");
  QStringList lines;
  if (plan.predicted() > 1)
    lines << m_words.text(
        wire::Message{"profileview.plan.all_predicted", {{"ratio", m_words.format().ratio(plan.predicted())}}});
  if (plan.anyMeasured())
    lines << m_words.text(wire::Message{"profileview.plan.all_measured", {{"ratio", m_words.format().ratio(plan.measured())}}});
  return lines.join(QLatin1Char('\n'));
}

QString PlanTexts::whyNoGain(const PlanModel& plan, std::size_t rung) const {
  QStringList lines;
  for (const auto& message : plan.whyNoGain(rung))
    lines << QStringLiteral("· ") + m_words.text(trace::localised(message, m_words.format()));
  return lines.join(QLatin1Char('\n'));
}

}  // namespace atelier::app
