// HealthWatch: what flows through the model of the run that goes now, whoever asked for it: the last step that it looked at,
// how far its steps move the weights, when to look again (paced, so that looking doesn't disturb what is measured). GUI
// thread.
#pragma once

#include <QObject>
#include <QString>

#include "core/wire/health.h"
#include "live_tick.h"
#include "run_desk.h"

namespace atelier::app {

class HealthWatch : public QObject {
  Q_OBJECT
 public:
  explicit HealthWatch(RunDesk& desk, QObject* parent = nullptr);

  // Of the run that goes, or went last; step −1: it said nothing.
  const wire::Health& health() const { return m_health; }
  // The same, of its gradients and updates; their steps are not always those of health().
  const wire::Gradients& gradients() const { return m_gradients; }
  bool live() const { return m_live; }              // it goes
  const QString& label() const { return m_label; }  // of its job

 Q_SIGNALS:
  void changed();

 private:
  void begin();
  void take(const wire::RunEvent& event);
  void end();

  RunDesk& m_desk;
  LiveTick m_tick;
  wire::Health m_health;
  wire::Gradients m_gradients;
  QString m_label;
  bool m_live = false;
};

}  // namespace atelier::app
