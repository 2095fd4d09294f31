#include "trace_document.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "background.h"
#include "core/registry/registry.h"
#include "core/registry/run_files.h"
#include "core/trace/chrome_json.h"
#include "core/wire/json_read.h"
#include "core/wire/number.h"

namespace atelier::app {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t kLargestJson = 256U << 20;
// Of the time that opening takes.
constexpr double kRead = 0.7, kAnalysed = 0.95;
constexpr int kTellEvery = 100;  // milliseconds

// Null when there is none, or what stands there is no object.
nlohmann::json objectIn(const fs::path& file) {
  if (const auto text = registry::readWhole(file, kLargestJson))
    if (const auto object = wire::parseJson(*text); object && object->is_object()) return *object;
  return nullptr;
}

std::shared_ptr<TraceDocument::Content> analysed(trace::Trace trace, const trace::Peaks& peaks) {
  auto content = std::make_shared<TraceDocument::Content>(std::move(trace));
  content->report = trace::analyse(content->trace, peaks);
  content->flameTrack = content->timeline.mainTrack();
  if (content->flameTrack >= 0)
    content->flame = trace::flameOf(content->trace, content->report.times, content->flameTrack, content->report.span);
  return content;
}

void diagnose(TraceDocument::Content& content) {
  trace::Facts facts{content.trace, content.report};
  facts.spec = content.spec;
  facts.health = content.health;
  content.findings = trace::diagnose(facts);
}

// What the run itself has said of its profile.
void takeProfile(TraceDocument::Content& content, const nlohmann::json& profile) {
  content.health = wire::healthFromJson(wire::memberAt(profile, "health"));
  const auto findings = wire::memberAt(profile, "diagnosis");
  if (!findings.is_array()) return diagnose(content);
  const auto events = static_cast<std::int64_t>(content.trace.events.size());
  for (const auto& one : findings) {
    auto finding = trace::findingFromJson(one);
    std::erase_if(finding.events, [events](std::int32_t event) { return event >= events; });
    content.findings.push_back(std::move(finding));
  }
}

}  // namespace

TraceDocument::Content::Content(trace::Trace made) : trace(std::move(made)), timeline(trace), links(trace) {}

// What the window and the thread that reads both know of.
struct TraceDocument::Job {
  std::atomic<bool> cancelled{false};
  std::atomic<double> done{0};
};

TraceDocument::TraceDocument(QObject* parent) : QObject(parent) {
  connect(&m_timer, &QTimer::timeout, this, [this] {
    if (m_job) Q_EMIT progressed(m_job->done);
  });
}

TraceDocument::~TraceDocument() {
  if (m_job) m_job->cancelled = true;
}

TraceDocument::ContentPtr TraceDocument::contentOf(trace::Trace trace, const trace::Peaks& peaks) {
  auto content = analysed(std::move(trace), peaks);
  diagnose(*content);
  return content;
}

wire::Result<TraceDocument::ContentPtr> TraceDocument::load(const fs::path& where, const Progress& progress) {
  std::error_code error;
  const bool isRun = fs::is_directory(where, error);
  const auto file = isRun ? where / registry::kTraceFile : where;
  const auto tell = [&progress](double share) { return !progress || progress(share); };
  auto read = trace::readChromeTrace(file, {}, [&tell](double share) { return tell(share * kRead); });
  if (!read) return read.error();
  const auto profile = isRun ? objectIn(where / registry::kProfileFile) : nlohmann::json();
  const bool told = profile.is_object();
  const auto peaks = told ? trace::peaksFromJson(wire::memberAt(profile, "peaks")) : trace::Peaks();
  const wire::Error givenUp(wire::ExitCode::Interrupted, wire::Message{"trace.cancelled", {{"file", file.string()}}});
  if (!tell(kRead)) return givenUp;
  auto content = analysed(std::move(*read), peaks);
  if (!tell(kAnalysed)) return givenUp;
  content->file = file;
  if (isRun) {
    content->folder = where;
    if (auto spec = objectIn(where / registry::kSpecFile); spec.is_object()) content->spec = std::move(spec);
  }
  if (told) takeProfile(*content, profile);
  else diagnose(*content);
  if (isRun && !told)
    content->notices.push_back({"timeline.profile_unreadable", {{"file", (where / registry::kProfileFile).string()}}});
  if (!tell(1)) return givenUp;
  return ContentPtr(std::move(content));
}

void TraceDocument::open(const fs::path& where) {
  if (m_job) m_job->cancelled = true;
  m_where = where;
  m_job = std::make_shared<Job>();
  m_timer.start(kTellEvery);
  inBackground(
      this,
      [job = m_job, where] {
        return load(where, [job](double share) {
          job->done = share;
          return !job->cancelled;
        });
      },
      [this, job = m_job](wire::Result<ContentPtr> loaded) { take(job, std::move(loaded)); });
  Q_EMIT loadingChanged();
}

void TraceDocument::cancel() {
  if (!m_job) return;
  m_job->cancelled = true;
  endJob();
}

void TraceDocument::endJob() {
  m_job.reset();
  m_timer.stop();
  Q_EMIT loadingChanged();
}

// Of a job that was given up nothing is wanted any more.
void TraceDocument::take(const std::shared_ptr<Job>& job, wire::Result<ContentPtr> loaded) {
  if (job != m_job) return;
  if (loaded) m_content = std::move(*loaded);
  endJob();
  if (loaded) Q_EMIT opened();
  else Q_EMIT failed(loaded.error());
}

}  // namespace atelier::app
