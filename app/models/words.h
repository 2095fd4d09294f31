// Words: the language in which the window speaks: its texts and its numbers. One object, handed to all who show something;
// whoever shows text shows it anew on changed(). GUI thread.
#pragma once

#include <QObject>
#include <QString>

#include <string>
#include <vector>

#include "core/wire/catalog.h"
#include "core/wire/format.h"

namespace atelier::app {

class Words : public QObject {
  Q_OBJECT
 public:
  explicit Words(const std::string& language, QObject* parent = nullptr)
      : QObject(parent), m_catalog(wire::Catalog::builtIn(language)), m_format(m_catalog.language()) {}

  const std::string& language() const { return m_catalog.language(); }
  // Tells changed(), also models: they come first when they were connected first.
  void setLanguage(const std::string& language);

  const wire::Catalog& catalog() const { return m_catalog; }
  const wire::Format& format() const { return m_format; }
  QString text(const std::string& id) const { return QString::fromStdString(m_catalog.text(id)); }
  QString text(const wire::Message& message) const { return QString::fromStdString(m_catalog.text(message)); }
  QString text(const std::vector<wire::Message>& messages) const;  // a line each

 Q_SIGNALS:
  void changed();

 private:
  wire::Catalog m_catalog;
  wire::Format m_format;
};

}  // namespace atelier::app
