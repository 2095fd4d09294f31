#include "control_thread.h"

#include <csignal>

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/wire/number.h"
#include "core/wire/result.h"

namespace atelier::worker {
namespace {

sigset_t handled() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

void blockSignals() {
  const auto set = handled();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

ControlThread::ControlThread(engine::Control& control, Input* input) : m_control(control), m_input(input) {
  const auto set = handled();
  m_signals = signalfd(-1, &set, SFD_CLOEXEC);
  if (pipe(m_wake) != 0) m_wake[0] = m_wake[1] = -1;
  m_thread = std::thread([this] { watch(); });
}

ControlThread::~ControlThread() {
  [[maybe_unused]] const auto written = ::write(m_wake[1], "x", 1);
  m_thread.join();
  for (const int descriptor : {m_signals, m_wake[0], m_wake[1]}) ::close(descriptor);
}

void ControlThread::obey(const std::string& line) {
  const auto object = wire::parseJson(line);
  if (!object || !object->is_object()) return;
  const auto named = object->find("command");
  if (named == object->end() || !named->is_string()) return;
  const auto command = named->get<std::string>();
  if (command == "pause") m_control.pause();
  else if (command == "resume") m_control.resume();
  else if (command == "stop") m_control.stop();
  else if (command == "set" && object->contains("key") && (*object)["key"].is_string()) {
    if (const auto value = wire::getNumber(*object, "value")) m_control.set((*object)["key"].get<std::string>(), *value);
  }
}

void ControlThread::watch() {
  bool listening = m_input != nullptr;
  while (true) {
    if (listening)
      while (const auto line = m_input->takeLine()) obey(*line);
    pollfd waits[3] = {{m_signals, POLLIN, 0}, {m_wake[0], POLLIN, 0}, {listening ? m_input->descriptor() : -1, POLLIN, 0}};
    if (poll(waits, 3, -1) < 0) continue;
    if (waits[1].revents) return;
    if (waits[0].revents) {
      signalfd_siginfo information{};
      if (::read(m_signals, &information, sizeof information) != sizeof information) continue;
      if (information.ssi_signo == SIGINT && m_signalled.exchange(true)) _exit(static_cast<int>(wire::ExitCode::Interrupted));
      m_control.stop();
    }
    if (waits[2].revents) listening = m_input->fill();  // at the end the other side has hung up: the run goes on
  }
}

}  // namespace atelier::worker
