#include "settings.h"

#include <QFile>
#include <QFileInfo>

#include <filesystem>
#include <system_error>

namespace atelier::app {

namespace {

constexpr qint64 kLargest = 1 << 20;

// Without opening what would never answer (a pipe in the file's place).
bool isReadable(const QString& file) {
  const QFileInfo info(file);
  if (!info.exists()) return true;
  return info.isFile() && info.isReadable() && info.size() <= kLargest;
}

// QSettings reads whatever it is given and forgets what it could not read at the next write: only a file that is one is given
// to it. A line is empty, a comment, a section or an assignment.
bool isSettings(const QString& file) {
  QFile input(file);
  if (!input.open(QIODevice::ReadOnly)) return !input.exists();
  while (!input.atEnd()) {
    const auto line = input.readLine().trimmed();
    const bool known =
        line.isEmpty() || line.startsWith(';') || (line.startsWith('[') && line.endsWith(']')) || line.contains('=');
    if (!known || line.contains('\0')) return false;
  }
  return true;
}

}  // namespace

Settings::Settings(const QString& file, QObject* parent) : QObject(parent) {
  if (!file.isEmpty()) open(file);
}

void Settings::open(const QString& file) {
  if (isReadable(file) && isSettings(file)) {
    m_file = std::make_unique<QSettings>(file, QSettings::IniFormat);
    if (m_file->status() == QSettings::NoError) return;
    m_file.reset();
  }
  const auto path = file.toStdString(), aside = path + ".damaged";
  std::error_code error;
  std::filesystem::rename(path, aside, error);
  if (!error) {
    m_problem = wire::Message{"settings.damaged", {{"file", path}, {"aside", aside}}};
    m_file = std::make_unique<QSettings>(file, QSettings::IniFormat);
  } else {
    m_problem = wire::Message{"settings.not_kept", {{"file", path}}};
  }
}

QVariant Settings::value(const QString& key, const QVariant& fallback) const {
  return m_file ? m_file->value(key, fallback) : m_kept.value(key, fallback);
}

void Settings::set(const QString& key, const QVariant& value) {
  if (this->value(key) == value) return;
  if (m_file) {
    m_file->setValue(key, value);
    m_file->sync();
  } else {
    m_kept.insert(key, value);
  }
  Q_EMIT changed(key);
}

void Settings::remove(const QString& key) {
  if (!value(key).isValid()) return;
  if (m_file) {
    m_file->remove(key);
    m_file->sync();
  } else {
    m_kept.remove(key);
  }
  Q_EMIT changed(key);
}

}  // namespace atelier::app
