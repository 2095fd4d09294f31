// What the Profile view opens and writes: recorded runs, trace files, exports, pictures; its actions with their keys. A file is
// written whole or not at all, beside the window.
#include <QDesktopServices>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileInfo>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QToolButton>
#include <QUrl>

#include <array>
#include <utility>

#include "app/models/background.h"
#include "app/models/words.h"
#include "app/shell/actions.h"
#include "app/views/experiments/notice_bar.h"
#include "compare_page.h"
#include "profile_page.h"
#include "profile_view.h"

namespace atelier::app {

namespace {

// A trace file, or a run's folder, among what is dragged here; "": none.
QString traceIn(const QMimeData* data) {
  if (!data) return {};
  const auto urls = data->urls();
  for (const auto& url : urls) {
    const auto file = url.toLocalFile();
    const bool named = file.endsWith(QLatin1String(".json"), Qt::CaseInsensitive) ||
                       file.endsWith(QLatin1String(".json.gz"), Qt::CaseInsensitive);
    if (!file.isEmpty() && (named || QFileInfo(file).isDir())) return file;
  }
  return {};
}

// "trace.svg" → "trace-memory.svg".
QString withName(const QString& file, const QString& name) {
  const QFileInfo info(file);
  return info.dir().filePath(info.completeBaseName() + QLatin1Char('-') + name + QLatin1Char('.') + info.suffix());
}

struct ExportKind {
  const char* title;
  const char* proposal;
  const char* filters;
};

ExportKind kindOf(ProfileExport what) {
  switch (what) {
    case ProfileExport::Csv:
      return {"action.profile.export_csv", "operators.csv", "CSV (*.csv)"};
    case ProfileExport::Flame:
      return {"action.profile.export_flame", "flame.svg", "SVG (*.svg)"};
    default:
      return {"action.profile.export_chrome", "trace.json.gz", "JSON (*.json.gz *.json)"};
  }
}

}  // namespace

QAction* ProfileView::act(const char* id, const QList<QKeySequence>& keys, std::function<void()> command) {
  auto* action = makeAction(this, m_desktop.words, id, keys, std::move(command));
  m_actions.insert(QString::fromLatin1(id), action);
  return action;
}

void ProfileView::buildActions() {
  act("profile.run", {QKeySequence(Qt::CTRL | Qt::Key_R)}, [this] { askRun(); });
  act("profile.open", {QKeySequence(QKeySequence::Open)},
      [this] { askOpen([this](const std::filesystem::path& file) { open(file); }); });
  act("profile.stop", {}, [this] { m_job.stop(); });
  constexpr std::array<const char*, kPages> kIds{"profile.page.diagnosis", "profile.page.timeline", "profile.page.operators",
                                                 "profile.page.memory",    "profile.page.roofline", "profile.page.health",
                                                 "profile.page.compare"};
  for (int i = 0; i < kPages; ++i)
    act(kIds[static_cast<std::size_t>(i)], {QKeySequence(Qt::CTRL | Qt::SHIFT | static_cast<Qt::Key>(Qt::Key_1 + i))},
        [this, i] { setPage(static_cast<Page>(i)); });
  for (auto* button : {m_openButton, m_firstOpen})
    connect(button, &QPushButton::clicked, action("profile.open"), &QAction::trigger);
  connect(m_compare, &ComparePage::fileAsked, this,
          [this] { askOpen([this](const std::filesystem::path& file) { m_compare->compareWith(file); }); });
}

void ProfileView::buildExports() {
  const auto exports = [this](const char* id, ProfileExport what) { return act(id, {}, [this, what] { askExport(what); }); };
  m_exportMenu->addActions(
      {exports("profile.export_chrome", ProfileExport::Chrome),
       exports("profile.export_tensorboard", ProfileExport::TensorBoard), exports("profile.export_csv", ProfileExport::Csv),
       exports("profile.export_flame", ProfileExport::Flame), act("profile.export_pictures", {}, [this] { askPictures(); })});
}

void ProfileView::fillRecent() {
  m_recentMenu->clear();
  for (const auto& run : m_recent.runs())
    m_recentMenu->addAction(profiledRunText(run, m_desktop.words), this, [this, folder = run.folder] { open(folder); });
  if (m_recentMenu->isEmpty()) m_recentMenu->addAction(m_desktop.words.text("profileview.no_recent"))->setEnabled(false);
}

void ProfileView::open(const std::filesystem::path& where) {
  m_notice->dismiss();
  m_document.open(where);
}

bool ProfileView::showRun(const QString& runOrFile) {
  const auto place = ProfiledRuns::placeOf(m_desktop.home, runOrFile);
  if (!place.empty()) open(place);
  else m_notice->say({{"profileview.no_trace", {{"run", runOrFile.toStdString()}}}});
  return !place.empty();
}

void ProfileView::askOpen(const std::function<void(const std::filesystem::path&)>& take) {
  const auto& words = m_desktop.words;
  const auto file = m_ask.open(words.text("action.profile.open"),
                               words.text("profileview.trace_files") + QStringLiteral(" (*.json *.json.gz)"));
  if (!file.isEmpty()) take(file.toStdString());
}

void ProfileView::askExport(ProfileExport what) {
  const auto& words = m_desktop.words;
  if (!m_document.content()) return;
  if (what == ProfileExport::TensorBoard) {
    const auto folder = m_ask.folder(words.text("action.profile.export_tensorboard"));
    if (!folder.isEmpty()) exportTo(what, folder);
    return;
  }
  const auto kind = kindOf(what);
  const auto file = m_ask.save(words.text(kind.title), QLatin1String(kind.proposal), QLatin1String(kind.filters));
  if (!file.isEmpty()) exportTo(what, file);
}

void ProfileView::exportTo(ProfileExport what, const QString& where) {
  const auto content = m_document.content();
  if (!content) return;
  m_notice->say({{"profileview.writing", {{"file", QFileInfo(where).fileName().toStdString()}}}});
  inBackground(
      this, [content, what, path = where.toStdString()] { return exportProfile(*content, what, path); },
      [this, where](const wire::Status& status) { told(where, status); });
}

void ProfileView::told(const QString& file, const wire::Status& status) {
  if (!status) return m_notice->say(status.error().messages);
  m_notice->say({{"experiments.written", {{"file", QDir::toNativeSeparators(file).toStdString()}}}}, "experiments.open",
                [file] { QDesktopServices::openUrl(QUrl::fromLocalFile(file)); });
}

void ProfileView::askPictures() {
  const auto& words = m_desktop.words;
  if (m_all[static_cast<std::size_t>(page())]->pictures().empty())
    return m_notice->say({wire::Message{"profileview.no_pictures"}});
  auto file = m_ask.save(words.text("action.profile.export_pictures"), QStringLiteral("profile.svg"),
                         words.text("app.plot.image_files"));
  if (file.isEmpty()) return;
  if (QFileInfo(file).suffix().isEmpty()) file += QStringLiteral(".svg");
  savePictures(file);
}

// Several pictures of one page are told apart by their names.
void ProfileView::savePictures(const QString& file) {
  const auto pictures = m_all[static_cast<std::size_t>(page())]->pictures();
  if (pictures.empty()) return m_notice->say({wire::Message{"profileview.no_pictures"}});
  for (const auto& picture : pictures) {
    const auto target = pictures.size() > 1 ? withName(file, picture.name) : file;
    if (!picture.save(target)) return m_notice->say({{"app.plot.save_failed", {{"file", target.toStdString()}}}});
  }
  told(file, wire::success());
}

void ProfileView::dragEnterEvent(QDragEnterEvent* event) {
  if (!traceIn(event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void ProfileView::dropEvent(QDropEvent* event) {
  const auto file = traceIn(event->mimeData());
  if (file.isEmpty()) return;
  event->acceptProposedAction();
  open(file.toStdString());
}

}  // namespace atelier::app
