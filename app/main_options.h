// Options: what atelier was asked on its command line, checked. Read before any window exists; texts come from the catalog of
// the language asked for. GUI thread.
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>

#include "app/headless/check_course.h"
#include "core/wire/result.h"

namespace atelier::app {

struct Options {
  enum class Mode { Window, Headless, Report, Screenshot, CheckCourse, Class };

  Mode mode = Mode::Window;
  QString lab, step, view, out, answers, learner, screenshot;
  QString replay;              // a run, or an archive of runs, to play in the window; or ""
  QString course;              // folder of the labs, also the one to check
  QString classFolder;         // of Mode::Class
  QString results;             // folder that a headless lab puts the learner's results into, or ""
  Form form = Form::Text;      // of CheckCourse and Class
  bool preview = false;        // CheckCourse: then the window on that course
  std::string language;        // en, fr
  bool languageAsked = false;  // on the command line: stronger than what the window remembers
  QString theme;               // light, dark, or "": as remembered
  QStringList runs;
  QSize size{1440, 900};
  bool noDisplay = false;  // nothing was asked and there is no display: the first lab, headless
  QString helpText;        // not empty: print it and end
  bool start = false;      // the step's experiment, as soon as the window is there
  bool version = false;
};

// True where a window can be shown. Asked of the environment, before Qt would end the program over it.
bool haveDisplay();
// True when the arguments ask for something that needs no display; also read before Qt starts.
bool wantsNoWindow(int argc, char** argv);

// Fails with usage errors. `display`: what haveDisplay() said at the start. REQUIRES: a QCoreApplication.
wire::Result<Options> readOptions(const QStringList& arguments, bool display);

// The language of the arguments, or the system's; also for the sentence that refuses them.
std::string languageOf(const QStringList& arguments);

}  // namespace atelier::app
