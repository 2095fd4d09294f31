// PlanTexts: the ladder of a plan as a table and in sentences. What is predicted is always called so. Pure; GUI thread.
#pragma once

#include <QString>
#include <QStringList>

#include <vector>

#include "core/wire/option.h"
#include "plan_model.h"
#include "text_table.h"
#include "words.h"

namespace atelier::app {

class PlanTexts {
 public:
  PlanTexts(const Words& words, const wire::Schema& schema) : m_words(words), m_schema(schema) {}

  // Step, change, expected, measured with its interval, verdict.
  QStringList head() const;
  std::vector<TextTable::Row> rows(const PlanModel& plan) const;
  QString change(const PlanRung& rung) const;  // "precision = bf16 · channels_last = true"
  // What the whole ladder is predicted to bring, and what was measured so far.
  QString sum(const PlanModel& plan) const;
  QString whyNoGain(const PlanModel& plan, std::size_t rung) const;  // a line each; "": nothing to say

 private:
  QString ratio(double times) const { return QString::fromStdString(m_words.format().ratio(times)); }
  QString measured(const PlanRung& rung) const;
  QString verdict(const PlanModel& plan, std::size_t rung) const;

  const Words& m_words;
  const wire::Schema& m_schema;
};

}  // namespace atelier::app
