// How a class's folder comes into the Class view, and how its figures leave it.
#include <QClipboard>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLabel>
#include <QMimeData>
#include <QSplitter>
#include <QUrl>

#include <utility>

#include "app/models/words.h"
#include "app/views/learn/parts.h"
#include "class_view.h"
#include "core/registry/registry.h"

namespace atelier::app {

namespace {

// The one local folder that is dragged, or "".
QString folderIn(const QMimeData* data) {
  const auto urls = data ? data->urls() : QList<QUrl>();
  if (urls.size() != 1 || !urls.front().isLocalFile()) return QString();
  const auto path = urls.front().toLocalFile();
  return QFileInfo(path).isDir() ? path : QString();
}

const char* endingOf(ClassView::Form form) {
  if (form == ClassView::Form::Json) return ".json";
  return form == ClassView::Form::Csv ? ".csv" : ".md";
}

}  // namespace

void ClassView::setChoosers(PathChooser folder, PathChooser file) {
  m_askFolder = std::move(folder);
  m_askFile = std::move(file);
}

void ClassView::chooseFolder() {
  const auto folder = m_askFolder(m_desktop.words.text("classview.choose"), m_book.folder());
  if (!folder.isEmpty()) m_book.setFolder(QDir::cleanPath(folder));
}

void ClassView::dragEnterEvent(QDragEnterEvent* event) {
  if (!folderIn(event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void ClassView::dropEvent(QDropEvent* event) {
  const auto folder = folderIn(event->mimeData());
  if (folder.isEmpty()) return;
  m_book.setFolder(folder);
  event->acceptProposedAction();
}

void ClassView::tell(const QString& sentence, bool bad) {
  setRole(m_said, bad ? QStringLiteral("bad") : QStringLiteral("soft"));
  showText(m_said, sentence);
}

void ClassView::askAndExport(Form form) {
  const auto proposal = QStringLiteral("atelier-class") + QLatin1String(endingOf(form));
  const auto file = m_askFile(m_desktop.words.text("classview.export"), proposal);
  if (!file.isEmpty()) exportTo(file, form);
}

bool ClassView::exportTo(const QString& file, Form form) {
  const auto content = m_book.shareable();
  const auto& catalog = m_desktop.words.catalog();
  std::string text;
  if (form == Form::Csv) text = lab::toCsv(content);
  else if (form == Form::Markdown) text = lab::toMarkdown(content, catalog);
  else text = lab::toJson(content, catalog).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  const auto written = registry::writeWhole(file.toStdString(), text);
  const auto shown = QDir::toNativeSeparators(file).toStdString();
  tell(m_desktop.words.text(wire::Message{written ? "classview.exported" : "app.plot.save_failed", {{"file", shown}}}),
       !written.ok());
  return written.ok();
}

void ClassView::copyImage() {
  QGuiApplication::clipboard()->setPixmap(m_body->grab());
  tell(m_desktop.words.text("classview.copied"), false);
}

}  // namespace atelier::app
