// atelier: the window, a lab without a display, a report on runs. main reads what is asked and builds the object graph;
// nothing else makes these objects or prints.
#include <QApplication>
#include <QDateTime>
#include <QDir>
#include <QEventLoop>
#include <QFileInfo>
#include <QLibraryInfo>
#include <QPointer>
#include <QTimer>
#include <QTranslator>

#include <unistd.h>
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include "app/headless/check_course.h"
#include "app/headless/headless_lab.h"
#include "app/headless/interrupts.h"
#include "app/models/course_watch.h"
#include "app/models/learn_model.h"
#include "app/models/recording.h"
#include "app/models/run_desk.h"
#include "app/models/settings.h"
#include "app/models/words.h"
#include "app/report/report.h"
#include "app/run/described_schema.h"
#include "app/run/engine_client.h"
#include "app/shell/main_window.h"
#include "app/shell/theme.h"
#include "app/views/experiments/replay_panel.h"
#include "core/registry/registry.h"
#include "core/wire/number.h"
#include "labs/load.h"
#include "main_options.h"

namespace atelier::app {
namespace {

constexpr int kSettle = 1500;      // milliseconds until a window that nobody sees has laid itself out
constexpr int kDescribe = 15'000;  // milliseconds that an engine gets to describe itself
constexpr auto kFirstLab = "1.1";

struct Context {
  const Options& options;
  const wire::Catalog& catalog;
  EngineClient& engine;
  QString home;
  QString course;
};

int refuse(const wire::Catalog& catalog, const wire::Error& error) {
  for (const auto& message : error.messages) std::cerr << "atelier: " << catalog.text(message) << "\n";
  return static_cast<int>(error.code);
}

QString courseFolder(const Options& options) {
  if (!options.course.isEmpty()) return options.course;
  const auto built = QStringLiteral(ATELIER_COURSE_DIR);
  return QFileInfo(built).isDir() ? built : QCoreApplication::applicationDirPath() + QStringLiteral("/../share/atelier/course");
}

// Waits for the engine's description, kDescribe at most; an interruption ends the wait. The answer may still come when
// nobody waits any more, so it touches nothing of this function's own.
wire::Result<wire::Schema> waitForSchema(EngineClient& engine, Interrupts* interrupts = nullptr) {
  auto schema =
      std::make_shared<wire::Result<wire::Schema>>(wire::Error{wire::ExitCode::Failed, wire::Message{"main.no_schema"}});
  QEventLoop loop;
  engine.ask({QStringLiteral("describe")},
             [schema, waiting = QPointer<QEventLoop>(&loop)](const wire::Result<nlohmann::json>& described) {
               if (!waiting) return;
               *schema = describedSchema(described);
               waiting->quit();
             });
  QTimer::singleShot(kDescribe, &loop, &QEventLoop::quit);
  if (interrupts)
    QObject::connect(interrupts, &Interrupts::interrupted, &loop, [&loop, schema] {
      *schema = wire::Error{wire::ExitCode::Interrupted, std::vector<wire::Message>{}};
      loop.quit();
    });
  loop.exec();
  return *schema;
}

// An unknown lab is told with those that exist, and with why others could not be read.
wire::Error unknownLab(const wire::Catalog& catalog, const lab::Course& course, const std::string& wanted) {
  std::string known;
  for (const auto& half : course.half_days)
    for (const auto& candidate : half.labs) known += (known.empty() ? "" : ", ") + candidate.number + " " + candidate.id;
  wire::Error error{wire::ExitCode::Usage, {"main.unknown_lab", {{"lab", wanted}, {"known", known.empty() ? "—" : known}}}};
  for (const auto& refused : course.refused)
    for (const auto& message : refused.messages)
      error.messages.push_back({"main.refused_lab", {{"why", catalog.text(message)}}});
  return error;
}

// The lab asked for with its answers taken, or why not.
wire::Result<lab::LabSession> sessionFor(const Context& context, const std::string& wanted) {
  const auto course = lab::loadCourse(context.course.toStdString(), context.options.language);
  const auto* found = course.find(wanted);
  if (!found) return unknownLab(context.catalog, course, wanted);
  lab::LabSession session(*found);
  if (context.options.answers.isEmpty()) return session;
  const auto file = context.options.answers.toStdString();
  const auto text = registry::readWhole(file);
  if (!text) return wire::Error{wire::ExitCode::Usage, text.error().messages};
  const auto answers = wire::parseJson(*text);
  if (!answers) return wire::Error{wire::ExitCode::Usage, {"main.bad_answers", {{"file", file}}}};
  if (const auto taken = session.takeAnswers(*answers); !taken)
    return wire::Error{wire::ExitCode::Usage, taken.error().messages};
  return session;
}

QString defaultFolder(const Context& context, const lab::LabSession& session) {
  const auto time = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
  return context.home + QStringLiteral("/reports/") + QString::fromStdString(session.lab().id) + QLatin1Char('-') + time;
}

int takeLab(const Context& context) {
  const auto wanted = context.options.lab.isEmpty() ? std::string(kFirstLab) : context.options.lab.toStdString();
  auto session = sessionFor(context, wanted);
  if (!session) return refuse(context.catalog, session.error());
  if (context.options.noDisplay) std::cerr << context.catalog.text({"main.no_display", {{"lab", wanted}}}) << "\n";
  const auto folder = context.options.out.isEmpty() ? defaultFolder(context, *session) : context.options.out;
  Interrupts interrupts;
  const auto schema = waitForSchema(context.engine, &interrupts);
  if (!schema && schema.error().code == wire::ExitCode::Interrupted) return static_cast<int>(schema.error().code);
  Terminal terminal(std::cout, std::cerr, isatty(STDERR_FILENO) == 1);
  HeadlessLab lab(context.engine, context.catalog, terminal,
                  {std::move(*session), folder, context.options.learner, context.home, context.options.results,
                   schema ? std::optional(*schema) : std::nullopt});
  QObject::connect(&interrupts, &Interrupts::interrupted, &lab, &HeadlessLab::interrupt);
  QObject::connect(&lab, &HeadlessLab::finished, qApp, [](int code) { QCoreApplication::exit(code); });
  QTimer::singleShot(0, &lab, &HeadlessLab::start);
  return QCoreApplication::exec();
}

int reportRuns(const Context& context) {
  auto content =
      runsReport(context.options.runs, context.options.learner, QString::fromStdString(context.options.language), context.home);
  if (!content) return refuse(context.catalog, content.error());
  if (const auto schema = waitForSchema(context.engine); schema) content->schema = *schema;
  const auto pages = writeReport(*content, context.options.out);
  if (!pages) return refuse(context.catalog, pages.error());
  std::cout << context.catalog.text(
                   {"main.written", {{"file", context.options.out.toStdString()}, {"pages", std::to_string(*pages)}}})
            << "\n";
  return static_cast<int>(wire::ExitCode::Done);
}

int pictureOf(MainWindow& window, const Context& context) {
  QTimer::singleShot(kSettle, &window, [&window, &context] {
    const auto& file = context.options.screenshot;
    const bool written = window.grab().save(file, "PNG");
    if (!written)
      std::cerr << "atelier: " << context.catalog.text({"main.no_screenshot", {{"file", file.toStdString()}}}) << "\n";
    QCoreApplication::exit(static_cast<int>(written ? wire::ExitCode::Done : wire::ExitCode::Failed));
  });
  return QCoreApplication::exec();
}

// Qt's own words (buttons of dialogs, the help of the command line) follow the language; English ones are built in.
void translateQt(QTranslator& translator, const std::string& language) {
  QCoreApplication::removeTranslator(&translator);
  if (language != "fr") return;
  if (translator.load(QStringLiteral("qtbase_fr"), QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
    QCoreApplication::installTranslator(&translator);
}

bool goToStep(LearnModel& learn, const std::string& id) {
  if (!learn.session()) return false;
  const auto& steps = learn.session()->lab().steps;
  const auto found = std::find_if(steps.begin(), steps.end(), [&](const lab::Step& step) { return step.id == id; });
  if (found != steps.end()) learn.goTo(static_cast<int>(found - steps.begin()));
  return found != steps.end();
}

wire::Error unknownStep(const LearnModel& learn, const std::string& id) {
  std::string known;
  if (learn.session())
    for (const auto& step : learn.session()->lab().steps) known += (known.empty() ? "" : ", ") + step.id;
  return {wire::ExitCode::Usage, {"main.unknown_step", {{"step", id}, {"known", known.empty() ? "—" : known}}}};
}

int showWindow(const Context& context, QTranslator& translator) {
  const auto& options = context.options;
  const bool picture = options.mode == Options::Mode::Screenshot;
  const auto mode = Theme::modeOf(options.theme);
  Theme theme(mode.value_or(Theme::Mode::Light));
  Words words(options.language);
  Settings settings(picture ? QString() : context.home + QStringLiteral("/window.ini"));
  RunDesk desk(context.engine);
  LearnModel learn({desk, words, context.course.toStdString(), context.home.toStdString(), options.learner});
  const Desktop desktop{theme, words, desk, learn, settings, context.home.toStdString()};
  MainWindow window(desktop);
  if (options.languageAsked) words.setLanguage(options.language);
  if (mode) theme.setMode(*mode);
  translateQt(translator, words.language());
  QObject::connect(&words, &Words::changed, &window, [&translator, &words] { translateQt(translator, words.language()); });
  // A course of one's own is read anew while it is written.
  std::optional<CourseWatch> watch;
  if (!options.course.isEmpty()) watch.emplace(learn, desk);
  // Without --lab the model is where the learner left off.
  if (const auto lab = options.lab.toStdString(); !lab.empty() && !learn.open(lab))
    return refuse(context.catalog, unknownLab(context.catalog, learn.course(), lab));
  if (!options.step.isEmpty() && !goToStep(learn, options.step.toStdString()))
    return refuse(context.catalog, unknownStep(learn, options.step.toStdString()));
  if (!options.replay.isEmpty()) {
    const auto there = checkRecording(context.home.toStdString(), options.replay.toStdString());
    if (!there) return refuse(context.catalog, there.error());
    QTimer::singleShot(0, &window, [&] { ReplayPanel::open(desktop, options.replay, &window); });
  }
  if (!options.view.isEmpty() && !window.showView(options.view.toStdString()))
    return refuse(context.catalog, {wire::ExitCode::Usage, {"main.unknown_view", {{"view", options.view.toStdString()}}}});
  if (auto* view = window.current(); !options.runs.isEmpty()) view->showRun(options.runs.first());
  if (picture) {
    learn.setSchema(waitForSchema(context.engine));
    window.resize(options.size);
    window.show();
    return pictureOf(window, context);
  }
  context.engine.ask({QStringLiteral("describe")}, [&learn, &options](const wire::Result<nlohmann::json>& described) {
    learn.setSchema(describedSchema(described));
    if (options.start && learn.canRun()) learn.run();
  });
  window.show();
  return QCoreApplication::exec();
}

int checkOrRollUp(const Context& context) {
  Terminal terminal(std::cout, std::cerr, isatty(STDERR_FILENO) == 1);
  const auto& options = context.options;
  if (options.mode == Options::Mode::Class)
    return static_cast<int>(printClass(terminal, context.catalog, options.classFolder.toStdString(), options.form));
  const auto schema = waitForSchema(context.engine);
  return static_cast<int>(checkCourse(terminal, context.catalog, context.course.toStdString(), schema, options.form));
}

int runMode(const Context& context, QTranslator& translator) {
  using Mode = Options::Mode;
  if (context.options.mode == Mode::CheckCourse || context.options.mode == Mode::Class)
    if (const int code = checkOrRollUp(context); !context.options.preview) return code;
  if (context.options.mode == Options::Mode::Report) return reportRuns(context);
  if (context.options.mode == Options::Mode::Headless || context.options.noDisplay) return takeLab(context);
  return showWindow(context, translator);
}

int start(bool display) {
  const auto arguments = QCoreApplication::arguments();
  QTranslator translator;
  translateQt(translator, languageOf(arguments));
  const auto options = readOptions(arguments, display);
  const auto catalog = wire::Catalog::builtIn(options ? options->language : languageOf(arguments));
  if (!options) return refuse(catalog, options.error());
  if (!options->helpText.isEmpty() || options->version) {
    std::cout << (options->version ? "atelier " ATELIER_VERSION "\n" : options->helpText.toStdString());
    return static_cast<int>(wire::ExitCode::Done);
  }
  // Only a headless lab reads the signals.
  if (options->mode != Options::Mode::Window && options->mode != Options::Mode::Headless) Interrupts::unblock();
  const auto home = QString::fromStdString(registry::defaultHome().string());
  EngineClient engine(EngineClient::locate(), home);
  return runMode({*options, catalog, engine, home, courseFolder(*options)}, translator);
}

}  // namespace
}  // namespace atelier::app

int main(int argc, char** argv) {
  using namespace atelier::app;
  const bool display = haveDisplay();
  const bool noWindow = !display || wantsNoWindow(argc, argv);
  if (noWindow && !qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  // A platform without a display has no window to ask about a run that goes: the signals are read in headless mode only.
  if (noWindow) Interrupts::block();
  QApplication application(argc, argv);
  QCoreApplication::setApplicationName(QStringLiteral("atelier"));
  QCoreApplication::setApplicationVersion(QStringLiteral(ATELIER_VERSION));
  return start(display);
}
