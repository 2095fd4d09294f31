// Terminal: what a run without a display shows. One progress bar on the error stream, redrawn in place on a terminal and
// written at each tenth otherwise (so that a log stays short); tables on the output stream, columns aligned by characters.
// Streams are handed in. GUI thread.
#pragma once

#include <QString>
#include <QStringList>
#include <QVector>

#include <ostream>

namespace atelier::app {

class Terminal {
 public:
  Terminal(std::ostream& out, std::ostream& err, bool interactive) : m_out(out), m_err(err), m_interactive(interactive) {}

  void print(const QString& line) { m_out << line.toStdString() << "\n" << std::flush; }
  void tell(const QString& line);  // on the error stream, above the bar
  void bar(double share, const QString& text);
  void endBar();
  // The first row is the header; columns but the first are aligned right unless `text`.
  void table(const QVector<QStringList>& rows, bool text = false);

 private:
  std::ostream& m_out;
  std::ostream& m_err;
  bool m_interactive, m_open = false;
  int m_tenth = -1;
};

}  // namespace atelier::app
