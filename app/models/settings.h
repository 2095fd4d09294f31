// Settings: what the window remembers between two uses, in one INI file under the home that can be deleted at any time.
// A value that cannot be read is the default. Written at each change, so that a crash loses nothing. A file that cannot be
// read is set aside and told in problem(), once: the next start finds a good one. GUI thread.
#pragma once

#include <QObject>
#include <QSettings>
#include <QString>
#include <QVariant>

#include <memory>
#include <optional>

#include "core/wire/result.h"

namespace atelier::app {

class Settings : public QObject {
  Q_OBJECT
 public:
  // "" remembers nothing beyond this object's life.
  explicit Settings(const QString& file, QObject* parent = nullptr);

  QVariant value(const QString& key, const QVariant& fallback = {}) const;
  void set(const QString& key, const QVariant& value);
  void remove(const QString& key);

  // False: what is set now is forgotten with this object.
  bool remembers() const { return m_file != nullptr; }
  // Why all is as at the first start, or why nothing will be remembered.
  const std::optional<wire::Message>& problem() const { return m_problem; }

 Q_SIGNALS:
  void changed(const QString& key);

 private:
  void open(const QString& file);

  std::unique_ptr<QSettings> m_file;
  QVariantMap m_kept;
  std::optional<wire::Message> m_problem;
};

}  // namespace atelier::app
