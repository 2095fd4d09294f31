// ControlThread: SIGINT, SIGTERM and the control lines of standard input, turned into calls on the session's Control.
// Signals must be blocked (blockSignals) before any other thread starts. A second SIGINT ends the process at once (130).
#pragma once

#include <atomic>
#include <thread>

#include "core/engine/session/control.h"
#include "input.h"

namespace atelier::worker {

void blockSignals();

class ControlThread {
 public:
  // `input`: control lines {"command":"pause"|"resume"|"stop"} and {"command":"set","key":K,"value":V}; null: signals only.
  ControlThread(engine::Control& control, Input* input);
  ~ControlThread();

 private:
  void watch();
  void obey(const std::string& line);

  engine::Control& m_control;
  Input* m_input;
  int m_signals, m_wake[2];
  std::atomic<bool> m_signalled{false};
  std::thread m_thread;
};

}  // namespace atelier::worker
