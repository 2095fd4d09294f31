// Replay: plays a recording into curves, as fast as is wanted, forwards and back. Time is the record's: the clock only says how
// long ago the last look was, and a test hands in its own. Invariants: the curves hold exactly the events up to the position;
// their addresses stay until another recording is loaded; a position is between 0 and length(). GUI thread.
#pragma once

#include <QObject>
#include <QTimer>
#include <QVector>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "recording.h"

namespace atelier::app {

class Replay : public QObject {
  Q_OBJECT
 public:
  enum class State { Paused, Playing, Ended };
  static constexpr std::array<double, 8> kSpeeds{0.5, 1, 2, 4, 8, 16, 32, 64};
  using Clock = std::function<std::int64_t()>;  // monotonic nanoseconds
  using Pace = std::function<int()>;            // milliseconds until the next look

  explicit Replay(QObject* parent = nullptr);
  explicit Replay(Clock clock, QObject* parent = nullptr);
  // How often it looks while it plays; ten times a second unless set.
  void setPace(Pace pace) { m_pace = std::move(pace); }

  // At the beginning, paused. The curves of before go once changed() was told.
  void load(std::shared_ptr<const Recording> recording);
  const std::shared_ptr<const Recording>& recording() const { return m_recording; }  // null: none
  QVector<const RunSeries*> series() const;
  const std::optional<wire::RaceUpdated>& raceSoFar() const { return m_race; }  // of b

  void play();  // at the end: from the beginning
  void pause();
  void toggle();
  void seek(std::int64_t position);  // goes on playing from there
  void nextBlock();                  // to the end of the next measured block of any run
  void previousBlock();
  void toEnd();  // all at once
  void setSpeed(double speed);
  void setSkipPauses(bool skip) { m_skipPauses = skip; }

  State state() const { return m_state; }
  double speed() const { return m_speed; }
  bool skipsPauses() const { return m_skipPauses; }
  bool hasPauses() const { return !m_pauses.empty(); }
  bool hasBlocks() const { return !m_blocks.empty(); }
  std::int64_t position() const { return m_position; }  // nanoseconds
  std::int64_t length() const { return m_recording ? m_recording->length() : 0; }

  // Plays what the clock says is due; the timer calls it.
  void advance();

 Q_SIGNALS:
  void changed();   // state, speed, recording
  void advanced();  // the position

 private:
  struct Pause {
    std::int64_t from, to;
  };
  void findPauses();
  void findBlocks();
  std::int64_t ahead(std::int64_t from, std::int64_t time) const;
  void moveTo(std::int64_t position);
  void takeUntil(std::int64_t position);
  void rewind();
  void setState(State state);

  Clock m_clock;
  Pace m_pace;
  QTimer m_timer;
  std::shared_ptr<const Recording> m_recording;
  std::vector<std::unique_ptr<RunSeries>> m_series;
  std::vector<Pause> m_pauses;         // apart from one another, rising
  std::vector<std::int64_t> m_blocks;  // ends of blocks, rising
  std::optional<wire::RaceUpdated> m_race;
  std::size_t m_next = 0;  // the first event that was not taken
  State m_state = State::Paused;
  std::int64_t m_position = 0, m_last = 0;
  double m_speed = 1;
  bool m_skipPauses = true;
};

}  // namespace atelier::app
