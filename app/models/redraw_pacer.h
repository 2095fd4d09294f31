// RedrawPacer: how often the window may look again while a run is measured. The cores are the run's: this program may take
// kShare of the machine's processor time, and what it takes is measured. On many cores that allows ten looks a second, on two
// about three. GUI thread.
#pragma once

namespace atelier::app {

class RedrawPacer {
 public:
  static constexpr double kShare = 0.0025;
  static constexpr int kShortest = 100, kLongest = 1000;  // milliseconds

  // `cores`: of the machine.
  explicit RedrawPacer(int cores) : m_cores(cores) {}

  // To be called at each look: milliseconds until the next one.
  int next();
  // The same from figures: `spent` seconds of processor time since the look before, which was `elapsed` seconds ago.
  int next(double spent, double elapsed);
  // Forgets what was measured: a new run.
  void reset();

 private:
  int m_cores;
  double m_interval = 0.25;       // seconds, before rounding
  double m_cpu = -1, m_wall = 0;  // at the last look; seconds
};

}  // namespace atelier::app
