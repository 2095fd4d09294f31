#include "profiled_runs.h"

#include <QDateTime>
#include <QLocale>

#include <utility>

#include "background.h"
#include "core/registry/registry.h"
#include "core/registry/run_files.h"
#include "core/registry/run_folder.h"
#include "core/registry/run_id.h"
#include "core/wire/json_read.h"
#include "core/wire/number.h"
#include "run_desk.h"
#include "words.h"

namespace atelier::app {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t kLargestSpec = 1 << 20;

bool isFile(const fs::path& path) {
  std::error_code none;
  return fs::is_regular_file(path, none);
}

ProfiledRun runIn(const fs::path& folder, const std::string& id) {
  ProfiledRun run{id, {}, {}, registry::idMilliseconds(id).value_or(0), folder};
  const auto text = registry::readWhole(folder / registry::kSpecFile, kLargestSpec);
  if (!text) return run;
  const auto spec = wire::parseJson(*text);
  if (!spec) return run;
  run.model = wire::textAt(*spec, "model");
  run.data = wire::textAt(*spec, "data");
  return run;
}

}  // namespace

ProfiledRuns::ProfiledRuns(fs::path home, RunDesk& desk, QObject* parent)
    : QObject(parent), m_home(std::move(home)), m_desk(desk) {
  connect(&m_desk, &RunDesk::ended, this, &ProfiledRuns::refresh);
}

std::vector<ProfiledRun> ProfiledRuns::find(const fs::path& home, std::size_t most) {
  const auto folder = home / "runs";
  std::vector<ProfiledRun> runs;
  for (const auto& id : registry::idsIn(folder)) {
    if (runs.size() >= most) break;
    if (isFile(folder / id / registry::kProfileFile) && isFile(folder / id / registry::kTraceFile))
      runs.push_back(runIn(folder / id, id));
  }
  return runs;
}

fs::path ProfiledRuns::placeOf(const fs::path& home, const QString& runOrPath) {
  const auto given = runOrPath.toStdString();
  if (given.empty()) return {};
  if (registry::validId(given) && isFile(home / "runs" / given / registry::kTraceFile)) return home / "runs" / given;
  const fs::path path(given);
  return isFile(path) || isFile(path / registry::kTraceFile) ? path : fs::path();
}

void ProfiledRuns::refresh() {
  if (std::exchange(m_looking, true)) {
    m_again = true;
    return;
  }
  inBackground(
      this, [home = m_home] { return find(home); },
      [this](std::vector<ProfiledRun> runs) {
        m_looking = false;
        m_runs = std::move(runs);
        Q_EMIT changed();
        if (std::exchange(m_again, false)) refresh();
      });
}

QString profiledRunText(const ProfiledRun& run, const Words& words) {
  auto title = QString::fromStdString(run.model.empty() ? run.id : run.model);
  if (!run.data.empty()) title += QStringLiteral(" · ") + QString::fromStdString(run.data);
  if (run.created_ms <= 0) return title;
  const QLocale locale(QString::fromStdString(words.language()));
  return title + QStringLiteral("  —  ") +
         locale.toString(QDateTime::fromMSecsSinceEpoch(run.created_ms), QLocale::ShortFormat);
}

}  // namespace atelier::app
