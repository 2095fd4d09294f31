#include "terminal.h"

#include <algorithm>
#include <cmath>

namespace atelier::app {
namespace {

constexpr int kBar = 24;  // characters
constexpr auto kEraseLine = "\r\x1b[2K";

}  // namespace

void Terminal::tell(const QString& line) {
  if (m_open && m_interactive) m_err << kEraseLine;
  m_err << line.toStdString() << "\n" << std::flush;
}

void Terminal::bar(double share, const QString& text) {
  share = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0;
  const int filled = static_cast<int>(std::floor(share * kBar));
  const auto line = QString(filled, QChar(0x2588)) + QString(kBar - filled, QChar(0x2591)) + QLatin1Char(' ') + text;
  const int tenth = static_cast<int>(share * 10);
  if (m_interactive) m_err << kEraseLine << line.toStdString() << std::flush;
  else if (tenth != m_tenth) m_err << line.toStdString() << "\n" << std::flush;
  m_tenth = tenth;
  m_open = true;
}

void Terminal::endBar() {
  if (m_open && m_interactive) m_err << "\n" << std::flush;
  m_open = false;
  m_tenth = -1;
}

void Terminal::table(const QVector<QStringList>& rows, bool text) {
  QVector<qsizetype> widths;
  for (const auto& row : rows)
    for (qsizetype c = 0; c < row.size(); ++c) {
      if (c >= widths.size()) widths.append(0);
      widths[c] = std::max(widths[c], row[c].size());
    }
  for (const auto& row : rows) {
    QString line;
    for (qsizetype c = 0; c < row.size(); ++c) {
      const bool last = c + 1 == row.size();
      if (c > 0) line += QStringLiteral("  ");
      line += c == 0 || text ? (last ? row[c] : row[c].leftJustified(widths[c])) : row[c].rightJustified(widths[c]);
    }
    print(line);
  }
}

}  // namespace atelier::app
