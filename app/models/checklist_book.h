// ChecklistBook: the check-list as the recorded runs and races fill it in. They are read in a thread of its own: when asked
// to, and from then on when a job of the desk has ended, never beside a measurement; what was read stays until the new is
// there. Runs of the PyTorch form of a spec are left out: their speed says nothing of ours. GUI thread, but for read().
#pragma once

#include <QObject>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/wire/option.h"
#include "labs/checklist.h"

namespace atelier::app {

class RunDesk;

class ChecklistBook : public QObject {
  Q_OBJECT
 public:
  static constexpr int kMostRuns = 2'000;  // the newest

  struct Content {
    lab::Checklist list = lab::fillChecklist({});
    std::map<std::string, nlohmann::json> specs{};  // of the runs to try something on, by id
    std::map<std::string, std::string> names{};     // likewise, and of all that stand in the list: as a person named them
    std::vector<wire::Message> problems{};          // why nothing could be read
  };

  ChecklistBook(std::filesystem::path home, RunDesk& desk, QObject* parent = nullptr);

  // Its defaults stand where records leave keys out. Reads anew when it is another one.
  void setSchema(const wire::Schema& schema);
  // Reads now, or when what is measured has ended.
  void refresh();
  bool loaded() const { return m_loaded; }
  bool reading() const { return m_reading; }
  const Content& content() const { return m_content; }
  const lab::Checklist& list() const { return m_content.list; }
  nlohmann::json specOf(const std::string& run) const;  // null: not known
  std::string nameOf(const std::string& run) const;     // its name, else its id

  // Any thread.
  static Content read(const std::filesystem::path& home, const nlohmann::json& defaults);

 Q_SIGNALS:
  void changed();  // content, or whether it is being read

 private:
  void start();

  std::filesystem::path m_home;
  RunDesk& m_desk;
  nlohmann::json m_defaults;
  Content m_content;
  bool m_reading = false, m_again = false, m_loaded = false;
};

}  // namespace atelier::app
