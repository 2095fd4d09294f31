// LayoutKeeper: where things stand is written as it changes, not on closing: the window's size and place, the lab that is open,
// the labs opened lately, the splitters and columns of views. A window that is killed comes back as it was. GUI thread.
#pragma once

#include <QObject>
#include <QStringList>
#include <QTimer>

class QHeaderView;
class QMainWindow;
class QSplitter;

namespace atelier::app {

class Settings;
struct Desktop;

class LayoutKeeper : public QObject {
  Q_OBJECT
 public:
  static constexpr int kMostRecent = 6, kSettle = 300;  // labs; milliseconds after the last change

  // Opens the lab that was open last, where it is still in the course.
  LayoutKeeper(const Desktop& desktop, QMainWindow& window);

  // Newest first; ids.
  static QStringList recentLabs(const Settings& settings);

  // Brings back what was kept under the key, and keeps it from now on. The settings outlive the widget.
  static void keep(Settings& settings, QSplitter* splitter, const QString& key);
  // Widths, order, what is hidden and sorted by. REQUIRES: its columns are there.
  static void keep(Settings& settings, QHeaderView* header, const QString& key);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void keepLab();
  void keepGeometry();

  const Desktop& m_desktop;
  QMainWindow& m_window;
  QTimer m_settle;
};

}  // namespace atelier::app
