// Control: what the outside asks of a running session: pause, resume, stop, set. Written by the worker's control thread,
// read by the session between steps, where a look costs no lock.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace atelier::engine {

class Control {
 public:
  void pause() {
    change([&] { m_paused = true; });
  }
  void resume() {
    change([&] { m_paused = false; });
  }
  void stop() {
    change([&] { m_stopped = true; });
  }
  void set(const std::string& key, double value) {
    change([&] { m_values[key] = value; });
  }

  bool stopped() const { return m_stopped; }
  bool paused() const { return m_paused && !m_stopped; }
  void waitWhilePaused() {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return !m_paused || m_stopped; });
  }
  // Values set since the last call.
  std::map<std::string, double> takeValues() {
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_values, {});
  }

 private:
  template <class F>
  void change(F f) {
    {
      const std::lock_guard lock(m_mutex);
      f();
    }
    m_changed.notify_all();
  }

  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::atomic<bool> m_paused{false}, m_stopped{false};
  std::map<std::string, double> m_values;
};

}  // namespace atelier::engine
