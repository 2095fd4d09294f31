// View: one of the window's tabs. A view is a folder views/<id>/ whose <id>_view.cpp defines `ViewUnit view_<id>()`; the window
// finds them all and shows their tabs in rising `order`. A view is given models, never the engine's process. Its title is the
// catalog's "app.tab.<id>", its icon resources/icons/<icon>.svg. GUI thread.
#pragma once

#include <QWidget>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace atelier::app {

class LearnModel;
class RunDesk;
class Settings;
class Theme;
class Words;

// What views are built from; all outlive the window.
struct Desktop {
  Theme& theme;
  Words& words;
  RunDesk& desk;
  LearnModel& learn;
  Settings& settings;
  std::filesystem::path home;  // $ATELIER_HOME
};

class View : public QWidget {
 public:
  using QWidget::QWidget;
  virtual void setPresenting(bool) {}
  virtual void page(int /*direction*/) {}                      // a presenter's next and previous
  virtual void shown() {}                                      // its tab was chosen
  virtual bool showPage(const std::string&) { return false; }  // one of its pages, by name; false: has none so named
  // A recorded run that was chosen elsewhere; true when this view shows it now.
  virtual bool showRun(const QString& /*id*/) { return false; }
  // Has another view, by its id, show a recorded run, or with "" itself as it stands; set by the window that holds both. Empty:
  // there is none.
  std::function<void(const std::string& view, const QString& run)> showElsewhere;
};

struct ViewUnit {
  std::string id;
  int order = 0;
  std::string icon;
  View* (*make)(const Desktop& desktop, QWidget* parent);
};

const std::vector<ViewUnit>& allViews();

}  // namespace atelier::app
