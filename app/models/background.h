// Work that would make the window wait (a slow drive, many files) done on a thread of its own.
#pragma once

#include <QObject>
#include <QThread>

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace atelier::app {

// `done(result)` is called on the context's thread, and not at all once the context is gone. `work` owns all it touches: it
// may outlive the window. REQUIRES: called on the context's thread.
template <class Work, class Done>
void inBackground(QObject* context, Work work, Done done) {
  using Answer = std::invoke_result_t<Work>;
  auto answer = std::make_shared<std::optional<Answer>>();
  auto* thread = QThread::create([answer, work = std::move(work)] { answer->emplace(work()); });
  QObject::connect(thread, &QThread::finished, context, [answer, done = std::move(done)] { done(std::move(**answer)); });
  QObject::connect(thread, &QThread::finished, thread, &QObject::deleteLater);
  thread->start(QThread::LowPriority);
}

}  // namespace atelier::app
