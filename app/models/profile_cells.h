// Cells of the tables of a profile: values as the reader's language writes them, with the number behind each. Internal to the
// tables. Pure; any thread.
#pragma once

#include <initializer_list>
#include <string>

#include "trace_document.h"
#include "trace_table.h"
#include "words.h"

namespace atelier::app {

struct ColumnId {
  const char* id;  // of a text
  bool figure = true;
};

class ProfileCells {
 public:
  explicit ProfileCells(const Words& words) : m_words(words) {}

  void addColumn(TraceRows& table, const char* id, bool figure = true) const;
  void addColumns(TraceRows& table, std::initializer_list<ColumnId> columns) const;
  QString text(const std::string& id) const { return m_words.text(id); }
  // The text of a name that a trace brought along ("idle." + cause); the name where nobody knows it.
  QString known(const std::string& prefix, const std::string& name) const;

  static TraceCell words(const QString& text);
  static TraceCell none();
  TraceCell number(double value, double scale = 1) const;  // written as value ÷ scale
  TraceCell count(double value) const;                     // up to three figures, without zeros at the end
  TraceCell wide(double value) const;                      // of any size: see wideText()
  TraceCell milliseconds(double ns) const { return number(ns, 1e6); }
  TraceCell microseconds(double ns) const { return number(ns, 1e3); }
  TraceCell mebibytes(double bytes) const;               // none() for 0
  TraceCell positive(double value, double scale) const;  // none() for 0 and less
  // With a bar as long as the share, 0 … 1. Of a whole that is not known: none().
  TraceCell share(double part, double whole) const;

 private:
  const Words& m_words;
};

// Three figures; what is very small or large as a power of ten: "1.25·10⁻⁷".
QString wideText(double value, const wire::Format& format);

// Steps that a table's figures are divided by: at least one.
double stepsOf(const TraceDocument::Content& content);

}  // namespace atelier::app
