#include "save_file.h"

#include <QSaveFile>

#include "core/wire/number.h"

namespace atelier::app {

bool saveWhole(const QString& file, const QByteArray& content) {
  QSaveFile output(file);
  return output.open(QIODevice::WriteOnly) && output.write(content) == content.size() && output.commit();
}

QByteArray csvQuoted(const QString& text) {
  return '"' + text.toUtf8().replace('"', "\"\"") + '"';
}

QByteArray csvNumber(std::optional<double> value) {
  return value ? QByteArray::fromStdString(wire::numberText(*value)) : QByteArray();
}

}  // namespace atelier::app
