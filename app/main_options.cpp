#include "main_options.h"

#include <QCommandLineParser>
#include <QFileInfo>

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "core/wire/catalog.h"
#include "labs/reference.h"

namespace atelier::app {
namespace {

wire::Error usage(wire::Message message) {
  return {wire::ExitCode::Usage, std::move(message)};
}

void addOptions(QCommandLineParser& parser, const wire::Catalog& catalog) {
  const auto add = [&](const char* name, const char* value) {
    const auto text = QString::fromStdString(catalog.text(std::string("main.option.") + name));
    parser.addOption(QCommandLineOption(QString::fromLatin1(name), text, QString::fromLatin1(value)));
  };
  add("headless", "");
  add("report", "");
  add("lab", "ID");
  add("step", "ID");
  add("view", "NAME");
  add("start", "");
  add("out", "PATH");
  add("answers", "FILE");
  add("lang", "LANGUAGE");
  add("theme", "THEME");
  add("learner", "NAME");
  add("replay", "FILE|RUN");
  add("screenshot", "FILE");
  add("size", "WxH");
  add("course", "DIR");
  add("check-course", "DIR");
  add("preview", "");
  add("course-reference", "");
  add("class", "DIR");
  add("results", "DIR");
  add("json", "");
  add("csv", "");
  parser.addHelpOption();
  parser.addVersionOption();
  parser.addPositionalArgument(QStringLiteral("runs"), QString::fromStdString(catalog.text("main.runs")),
                               QStringLiteral("[RUN…]"));
}

wire::Result<QSize> sizeOf(const QString& text) {
  const auto parts = text.split(QLatin1Char('x'));
  bool wide = false, high = false;
  const QSize size = parts.size() == 2 ? QSize(parts[0].toInt(&wide), parts[1].toInt(&high)) : QSize();
  constexpr int kSmallest = 100, kLargest = 16'000;
  const bool fits =
      wide && high && std::min(size.width(), size.height()) >= kSmallest && std::max(size.width(), size.height()) <= kLargest;
  if (!fits) return usage({"main.bad_size", {{"value", text.toStdString()}}});
  return size;
}

wire::Status checkChoice(const char* option, const std::string& value, std::initializer_list<const char*> choices) {
  std::string all;
  for (const char* choice : choices) {
    if (value == choice) return wire::success();
    all += (all.empty() ? "" : ", ") + std::string(choice);
  }
  return usage({"main.bad_choice", {{"option", option}, {"choices", all}, {"value", value}}});
}

Options::Mode modeOf(const QCommandLineParser& parser) {
  if (parser.isSet(QStringLiteral("report"))) return Options::Mode::Report;
  if (parser.isSet(QStringLiteral("screenshot"))) return Options::Mode::Screenshot;
  if (parser.isSet(QStringLiteral("check-course"))) return Options::Mode::CheckCourse;
  if (parser.isSet(QStringLiteral("class"))) return Options::Mode::Class;
  return parser.isSet(QStringLiteral("headless")) ? Options::Mode::Headless : Options::Mode::Window;
}

// What goes with --check-course and --class, and with nothing else.
wire::Status takeCourseOptions(Options& options, const QCommandLineParser& parser, bool display) {
  using Mode = Options::Mode;
  const bool json = parser.isSet(QStringLiteral("json")), csv = parser.isSet(QStringLiteral("csv"));
  options.preview = parser.isSet(QStringLiteral("preview"));
  options.classFolder = parser.value(QStringLiteral("class"));
  if (options.mode == Mode::CheckCourse) options.course = parser.value(QStringLiteral("check-course"));
  options.form = json ? Form::Json : csv ? Form::Csv : Form::Text;
  const bool tells = options.mode == Mode::Class || options.mode == Mode::CheckCourse;
  if (json && csv) return usage({"main.one_form"});
  if ((json && !tells) || (csv && options.mode != Mode::Class)) return usage({"main.form_alone"});
  if (options.preview && options.mode != Mode::CheckCourse) return usage({"main.preview_alone"});
  if (options.preview && !display) return usage({"main.preview_needs_display"});
  if (parser.isSet(QStringLiteral("course-reference")))
    options.helpText = QString::fromStdString(lab::reference(options.language));
  return wire::success();
}

wire::Status complete(Options& options, const QCommandLineParser& parser) {
  if (parser.isSet(QStringLiteral("size"))) {
    const auto size = sizeOf(parser.value(QStringLiteral("size")));
    if (!size) return size.error();
    options.size = *size;
  }
  if (!options.theme.isEmpty())
    if (auto status = checkChoice("theme", options.theme.toStdString(), {"light", "dark", "contrast"}); !status) return status;
  if (options.mode == Options::Mode::Report && options.runs.isEmpty()) return usage({"main.no_runs"});
  if (options.mode == Options::Mode::Report && options.out.isEmpty()) return usage({"main.no_out"});
  return wire::success();
}

}  // namespace

// The language is needed before the parser, whose texts are in it.
std::string languageOf(const QStringList& arguments) {
  for (qsizetype i = 1; i < arguments.size(); ++i) {
    if (arguments[i] == QLatin1String("--lang") && i + 1 < arguments.size()) return arguments[i + 1].toStdString();
    if (arguments[i].startsWith(QLatin1String("--lang="))) return arguments[i].mid(7).toStdString();
  }
  return wire::Catalog::systemLanguage();
}

bool haveDisplay() {
  return !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") ||
         qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
}

bool wantsNoWindow(int argc, char** argv) {
  const auto asked = [&](std::string_view name) {
    return std::any_of(argv + std::min(argc, 1), argv + argc, [&](std::string_view argument) {
      return argument == name || (argument.starts_with(name) && argument.substr(name.size()).starts_with("="));
    });
  };
  if (asked("--check-course") && !asked("--preview")) return true;
  for (const std::string_view name :
       {"--headless", "--report", "--screenshot", "--class", "--course-reference", "--help", "-h", "--version", "-v"})
    if (asked(name)) return true;
  return false;
}

wire::Result<Options> readOptions(const QStringList& arguments, bool display) {
  Options options;
  options.language = languageOf(arguments);
  if (auto status = checkChoice("lang", options.language, {"en", "fr"}); !status) return status.error();
  const auto catalog = wire::Catalog::builtIn(options.language);
  QCommandLineParser parser;
  parser.setApplicationDescription(QString::fromStdString(catalog.text("main.description")));
  addOptions(parser, catalog);
  if (!parser.parse(arguments)) return usage({"main.bad_usage", {{"why", parser.errorText().toStdString()}}});
  options.languageAsked = parser.isSet(QStringLiteral("lang"));
  options.mode = modeOf(parser);
  options.version = parser.isSet(QStringLiteral("version"));
  if (parser.isSet(QStringLiteral("help"))) options.helpText = parser.helpText();
  options.lab = parser.value(QStringLiteral("lab"));
  options.step = parser.value(QStringLiteral("step"));
  options.view = parser.value(QStringLiteral("view"));
  options.start = parser.isSet(QStringLiteral("start"));
  options.out = parser.value(QStringLiteral("out"));
  options.answers = parser.value(QStringLiteral("answers"));
  options.learner = parser.value(QStringLiteral("learner"));
  options.replay = parser.value(QStringLiteral("replay"));
  options.screenshot = parser.value(QStringLiteral("screenshot"));
  options.course = parser.value(QStringLiteral("course"));
  options.results = parser.value(QStringLiteral("results"));
  options.theme = parser.value(QStringLiteral("theme"));
  options.runs = parser.positionalArguments();
  if (options.mode == Options::Mode::Window && !display) options.noDisplay = true;
  if (auto status = takeCourseOptions(options, parser, display); !status) return status.error();
  if (auto status = complete(options, parser); !status) return status.error();
  return options;
}

}  // namespace atelier::app
