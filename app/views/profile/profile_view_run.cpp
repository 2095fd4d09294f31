// What the Profile view measures: a run under the profiler, also one with a fault, followed until its profile can be opened.
#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "app/models/preferences.h"
#include "app/models/profile_request.h"
#include "app/models/words.h"
#include "app/views/experiments/notice_bar.h"
#include "profile_setup.h"
#include "profile_view.h"

namespace atelier::app {

namespace {

constexpr std::size_t kKeptNotices = 6;

}  // namespace

void ProfileView::connectJob() {
  connect(&m_job, &JobWatch::event, this, &ProfileView::takeJob);
  connect(&m_job, &JobWatch::stateChanged, this, &ProfileView::showState);
  connect(&m_job, &JobWatch::ended, this, &ProfileView::endJob);
}

// Where a new profile begins: the run that is open, else what a person chose for all runs.
nlohmann::json ProfileView::startSpec() const {
  const auto content = m_document.content();
  return content && !content->spec.empty() ? content->spec : Preferences(m_desktop.settings).runDefaults();
}

// Not exec(): a run that goes, and everything else, stays within reach.
void ProfileView::askRun() {
  if (!m_job.idle()) return m_notice->say({wire::Message{"profileview.busy"}});
  auto* dialog = new ProfileSetup(m_desktop, startSpec(), this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &ProfileSetup::runAsked, this, &ProfileView::profile);
  dialog->open();
}

void ProfileView::profile(Job job) {
  if (!m_job.idle()) return m_notice->say({wire::Message{"profileview.busy"}});
  m_runId.clear();
  m_failure.clear();
  m_notices.clear();
  m_notice->dismiss();
  m_job.submit(std::move(job));
}

void ProfileView::breakIt(const QString& fault) {
  auto spec = startSpec();
  spec["inject"] = fault.toStdString();
  const auto name = m_desktop.words.catalog().text("fault." + fault.toStdString() + ".label");
  profile(profileJob(std::move(spec), std::nullopt,
                     m_desktop.words.text(wire::Message{"profileview.break.job", {{"fault", name}}})));
}

void ProfileView::takeJob(const wire::RunEvent& event) {
  std::vector<wire::Message> told;
  if (const auto* started = std::get_if<wire::RunStarted>(&event.body)) {
    m_runId = started->run_id;
    told = started->notices;
  }
  if (const auto* noticed = std::get_if<wire::Noticed>(&event.body)) told = {noticed->message};
  if (const auto* failed = std::get_if<wire::RunFailed>(&event.body)) m_failure = failed->messages;
  for (auto& message : told)
    if (m_notices.size() < kKeptNotices && std::find(m_notices.begin(), m_notices.end(), message) == m_notices.end())
      m_notices.push_back(std::move(message));
}

// A run that was stopped or failed before the profiler looked leaves no profile.
void ProfileView::endJob() {
  const auto place = ProfiledRuns::placeOf(m_desktop.home, QString::fromStdString(m_runId));
  if (!m_runId.empty() && !place.empty() && m_failure.empty()) return open(place);
  std::vector<wire::Message> messages{wire::Message{m_failure.empty() ? "profileview.stopped" : "profileview.failed"}};
  messages.insert(messages.end(), m_failure.begin(), m_failure.end());
  messages.insert(messages.end(), m_notices.begin(), m_notices.end());
  m_notices.clear();
  m_notice->say(std::move(messages));
}

}  // namespace atelier::app
