// LinkedCursor: one moment in time that all plots of a column read their values at. GUI thread.
#pragma once

#include <QObject>

#include <optional>

namespace atelier::app {

class LinkedCursor : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  std::optional<double> time() const { return m_time; }
  void set(std::optional<double> seconds);

 Q_SIGNALS:
  void moved();

 private:
  std::optional<double> m_time;
};

}  // namespace atelier::app
