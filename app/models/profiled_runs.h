// ProfiledRuns: the recorded runs of a home that left a profile, newest first. They are looked for in a thread of their own:
// when asked to, and when a job of the desk has ended. GUI thread, but for find().
#pragma once

#include <QObject>
#include <QString>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace atelier::app {

class RunDesk;
class Words;

struct ProfiledRun {
  std::string id, model, data;
  std::int64_t created_ms = 0;  // Unix time; 0: the id does not tell
  std::filesystem::path folder;
};

class ProfiledRuns : public QObject {
  Q_OBJECT
 public:
  static constexpr std::size_t kMost = 20;

  ProfiledRuns(std::filesystem::path home, RunDesk& desk, QObject* parent = nullptr);

  void refresh();
  const std::vector<ProfiledRun>& runs() const { return m_runs; }

  // Any thread.
  static std::vector<ProfiledRun> find(const std::filesystem::path& home, std::size_t most = kMost);
  // The folder of a run that left a trace, or a file or folder that can be opened as one; "": neither.
  static std::filesystem::path placeOf(const std::filesystem::path& home, const QString& runOrPath);

 Q_SIGNALS:
  void changed();

 private:
  std::filesystem::path m_home;
  RunDesk& m_desk;
  std::vector<ProfiledRun> m_runs;
  bool m_looking = false, m_again = false;
};

// "cnn · fashion-mnist  —  30/11/2026 10:45".
QString profiledRunText(const ProfiledRun& run, const Words& words);

}  // namespace atelier::app
