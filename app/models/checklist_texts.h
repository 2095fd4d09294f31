// ChecklistTexts: the check-list in words: a row an item, and what is known of one and to be done about it in sentences. A gain
// is never said without its interval, nor without what it was measured by. Pure; GUI thread.
#pragma once

#include <QString>
#include <QStringList>

#include <optional>
#include <string>
#include <vector>

#include "checklist_book.h"
#include "text_table.h"
#include "words.h"

namespace atelier::app {

class ChecklistTexts {
 public:
  ChecklistTexts(const Words& words, const wire::Schema& schema, const ChecklistBook& book)
      : m_words(words), m_schema(schema), m_book(book) {}

  // Item, state, throughput with its interval, peak memory, verdict.
  QStringList head() const;
  std::vector<TextTable::Row> rows() const;
  QString title(const lab::ChecklistEntry& entry) const { return m_words.text(entry.item->title); }
  QString brings(const lab::ChecklistEntry& entry) const { return m_words.text(entry.item->brings); }
  QString state(const lab::ChecklistEntry& entry) const;  // "✓ raced"
  // good, warn, soft: the role of the state.
  static const char* tone(const lab::ChecklistEntry& entry);
  // What was measured, by what; a line each.
  QString evidence(const lab::ChecklistEntry& entry) const;
  QString next(const lab::ChecklistEntry& entry) const;
  QString offer(const lab::ChecklistEntry& entry) const;  // what a race or a fork of it would change, and in what
  QString summary() const;                                // how many were tried, and the product of their gains
  // The summary and the table, as a document.
  std::string markdown() const;

 private:
  QString change(const lab::ChecklistEvidence& evidence) const;
  QString ratio(const lab::ChecklistEvidence& evidence) const;
  QString times(std::optional<double> ratio) const;
  QString verdict(const lab::ChecklistEvidence& evidence) const;
  wire::Message measured(const char* id, const lab::ChecklistEvidence& evidence) const;

  const Words& m_words;
  const wire::Schema& m_schema;
  const ChecklistBook& m_book;
};

}  // namespace atelier::app
