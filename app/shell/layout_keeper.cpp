#include "layout_keeper.h"

#include <QEvent>
#include <QHeaderView>
#include <QMainWindow>
#include <QSplitter>

#include "app/models/learn_model.h"
#include "app/models/settings.h"
#include "view.h"

namespace atelier::app {

namespace {

constexpr auto kLab = "learn/lab";
constexpr auto kRecent = "learn/recent";
constexpr auto kGeometry = "window/geometry";

}  // namespace

LayoutKeeper::LayoutKeeper(const Desktop& desktop, QMainWindow& window)
    : QObject(&window), m_desktop(desktop), m_window(window) {
  const auto lab = m_desktop.settings.value(QLatin1String(kLab)).toString().toStdString();
  const auto* session = m_desktop.learn.session();
  if (m_desktop.learn.course().find(lab) && (!session || session->lab().id != lab)) m_desktop.learn.open(lab);
  m_settle.setSingleShot(true);
  m_settle.setInterval(kSettle);
  m_window.restoreGeometry(m_desktop.settings.value(QLatin1String(kGeometry)).toByteArray());
  connect(&m_settle, &QTimer::timeout, this, &LayoutKeeper::keepGeometry);
  connect(&m_desktop.learn, &LearnModel::changed, this, &LayoutKeeper::keepLab);
  window.installEventFilter(this);
}

QStringList LayoutKeeper::recentLabs(const Settings& settings) {
  return settings.value(QLatin1String(kRecent)).toStringList().mid(0, kMostRecent);
}

void LayoutKeeper::keepLab() {
  const auto* session = m_desktop.learn.session();
  if (!session || m_desktop.learn.scratch()) return;
  const auto lab = QString::fromStdString(session->lab().id);
  auto& settings = m_desktop.settings;
  if (settings.value(QLatin1String(kLab)).toString() == lab) return;
  settings.set(QLatin1String(kLab), lab);
  auto recent = recentLabs(settings);
  recent.removeAll(lab);
  recent.prepend(lab);
  settings.set(QLatin1String(kRecent), QStringList(recent.mid(0, kMostRecent)));
}

void LayoutKeeper::keepGeometry() {
  m_desktop.settings.set(QLatin1String(kGeometry), m_window.saveGeometry());
}

bool LayoutKeeper::eventFilter(QObject* watched, QEvent* event) {
  switch (event->type()) {
    case QEvent::Resize:
    case QEvent::Move:
    case QEvent::WindowStateChange:
      if (m_window.isVisible()) m_settle.start();
      break;
    case QEvent::Close:
      keepGeometry();
      break;
    default:
      break;
  }
  return QObject::eventFilter(watched, event);
}

void LayoutKeeper::keep(Settings& settings, QSplitter* splitter, const QString& key) {
  splitter->restoreState(settings.value(key).toByteArray());
  connect(splitter, &QSplitter::splitterMoved, splitter,
          [&settings, splitter, key] { settings.set(key, splitter->saveState()); });
}

void LayoutKeeper::keep(Settings& settings, QHeaderView* header, const QString& key) {
  const auto kept = settings.value(key).toByteArray();
  // A state with other columns would hide what was added since.
  if (const int columns = header->count();
      !kept.isEmpty() && settings.value(key + QStringLiteral("_columns")).toInt() == columns)
    header->restoreState(kept);
  const auto write = [&settings, header, key] {
    settings.set(key + QStringLiteral("_columns"), header->count());
    settings.set(key, header->saveState());
  };
  auto* settle = new QTimer(header);
  settle->setSingleShot(true);
  settle->setInterval(kSettle);
  connect(settle, &QTimer::timeout, header, write);
  const auto later = [settle] { settle->start(); };
  connect(header, &QHeaderView::sectionResized, settle, later);
  connect(header, &QHeaderView::sectionMoved, settle, later);
  connect(header, &QHeaderView::sortIndicatorChanged, settle, later);
}

}  // namespace atelier::app
