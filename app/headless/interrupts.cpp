#include "interrupts.h"

#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <csignal>

namespace atelier::app {
namespace {

sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

void Interrupts::block() {
  const auto set = watched();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

void Interrupts::unblock() {
  const auto set = watched();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

Interrupts::Interrupts(QObject* parent)
    : QObject(parent),
      m_descriptor([] {
        const auto set = watched();
        return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
      }()),
      m_notifier(m_descriptor, QSocketNotifier::Read) {
  connect(&m_notifier, &QSocketNotifier::activated, this, &Interrupts::read);
}

Interrupts::~Interrupts() {
  m_notifier.setEnabled(false);
  if (m_descriptor >= 0) close(m_descriptor);
}

void Interrupts::read() {
  signalfd_siginfo told{};
  while (::read(m_descriptor, &told, sizeof told) == static_cast<ssize_t>(sizeof told)) Q_EMIT interrupted();
}

}  // namespace atelier::app
