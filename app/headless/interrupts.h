// Interrupts: SIGINT and SIGTERM as a Qt signal, read from a descriptor, so that nothing runs in a signal handler. block()
// first, before any thread is made: threads inherit the mask. GUI thread.
#pragma once

#include <QObject>
#include <QSocketNotifier>

namespace atelier::app {

class Interrupts : public QObject {
  Q_OBJECT
 public:
  static void block();
  static void unblock();

  explicit Interrupts(QObject* parent = nullptr);
  ~Interrupts() override;

 Q_SIGNALS:
  void interrupted();

 private:
  void read();

  int m_descriptor;
  QSocketNotifier m_notifier;
};

}  // namespace atelier::app
