// ResultKeeper: leaves a learner's results in the class's folder (a shared drive, a stick) as they come to be: after each step
// that was finished, and the report with the last one. The folder is written on another thread: a slow drive holds up nothing.
// A failure is told once in the Learn view, and tried again at the next change; nothing of the learner's own is lost by it.
// GUI thread.
#pragma once

#include <QObject>
#include <QString>

#include <filesystem>
#include <string>

#include "core/wire/result.h"

namespace atelier::app {

class LearnModel;

class ResultKeeper : public QObject {
  Q_OBJECT
 public:
  explicit ResultKeeper(LearnModel& model, QObject* parent = nullptr);

  // "" keeps nothing.
  void setFolder(const QString& folder);
  const QString& folder() const { return m_folder; }
  bool writing() const { return m_writing; }

 Q_SIGNALS:
  void written(const QString& folder);  // the learner's own, in the class's
  void failed();

 private:
  void look();
  void write();
  void take(const wire::Result<std::filesystem::path>& result);
  void addReport(const std::filesystem::path& folder);
  std::string stamp() const;  // of all that the results tell; "" when there is nothing to tell yet
  void tell(const wire::Error& error);

  LearnModel& m_model;
  QString m_folder;
  std::string m_stamp, m_reported;
  bool m_writing = false, m_told = false;
};

}  // namespace atelier::app
