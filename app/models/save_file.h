// Files that the reader asks for: whole or not at all; cells of CSV as the window's plots and tables write them. GUI thread.
#pragma once

#include <QByteArray>
#include <QString>

#include <optional>

namespace atelier::app {

// False when it can't be written whole; what was there before then stays.
bool saveWhole(const QString& file, const QByteArray& content);

QByteArray csvQuoted(const QString& text);          // always in quotes
QByteArray csvNumber(std::optional<double> value);  // without the locale; empty where there is none

}  // namespace atelier::app
