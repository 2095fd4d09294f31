#include "result_keeper.h"

#include <QDateTime>

#include <utility>

#include "background.h"
#include "core/wire/number.h"
#include "labs/class/results.h"
#include "learn_model.h"

namespace atelier::app {

ResultKeeper::ResultKeeper(LearnModel& model, QObject* parent) : QObject(parent), m_model(model) {
  connect(&m_model, &LearnModel::changed, this, &ResultKeeper::look);
  connect(&m_model, &LearnModel::learnerChanged, this, &ResultKeeper::look);
}

void ResultKeeper::setFolder(const QString& folder) {
  if (folder == m_folder) return;
  m_folder = folder;
  m_stamp.clear();
  m_reported.clear();
  m_told = false;
  look();
}

std::string ResultKeeper::stamp() const {
  const auto* session = m_model.session();
  if (!session) return {};
  bool any = false;
  auto text = session->lab().id + "\n" + m_model.learner().toStdString();
  for (const auto& step : session->lab().steps) {
    const auto& progress = session->progress(step.id);
    const bool done = session->done(step.id) && (step.experiment || step.prediction || !step.quiz.empty());
    any = any || done;
    text += "\n" + step.id + (done ? " done" : "") + (progress.solution_shown ? " shown " : " ") +
            std::to_string(progress.hints_shown);
    if (progress.prediction) text += " predicted " + wire::numberText(*progress.prediction);
    if (progress.outcome)
      for (const auto& run : progress.outcome->run_ids) text += " " + run;
    for (const auto& [question, choice] : progress.quiz) text += " " + question + "=" + std::to_string(choice);
  }
  return any ? text : std::string();
}

void ResultKeeper::look() {
  // What a trainer shows in class is nobody's result.
  if (m_folder.isEmpty() || m_writing || m_model.running() || m_model.scratch()) return;
  const auto now = stamp();
  if (now.empty() || now == m_stamp) return;
  m_stamp = now;
  write();
}

void ResultKeeper::write() {
  m_writing = true;
  const lab::ResultsAbout about{m_model.learner().toStdString(), {}, m_model.machine(), QDateTime::currentMSecsSinceEpoch()};
  inBackground(
      this,
      [folder = std::filesystem::path(m_folder.toStdString()), session = *m_model.session(), home = m_model.home(), about] {
        auto signedBy = about;
        signedBy.origin = lab::originOf(home);
        return lab::writeResults(folder, session, signedBy);
      },
      [this](const wire::Result<std::filesystem::path>& result) { take(result); });
}

void ResultKeeper::take(const wire::Result<std::filesystem::path>& result) {
  m_writing = false;
  if (!result) {
    tell(result.error());
    return;
  }
  m_told = false;
  addReport(*result);
  Q_EMIT written(QString::fromStdString(result->string()));
  look();  // it may have gone on meanwhile
}

void ResultKeeper::addReport(const std::filesystem::path& folder) {
  const auto* session = m_model.session();
  if (!session || !session->finished() || m_model.running() || m_model.scratch()) return;
  const auto now = stamp();
  if (now != m_stamp || now == m_reported) return;
  m_reported = now;
  const auto pages = m_model.writeReport(QString::fromStdString((folder / "report.pdf").string()));
  if (!pages) tell(pages.error());
}

void ResultKeeper::tell(const wire::Error& error) {
  if (!std::exchange(m_told, true)) m_model.inform(error.messages);
  // Only now: telling is a change too, and would try at once again.
  m_stamp.clear();
  Q_EMIT failed();
}

}  // namespace atelier::app
