#include "main_options.h"

#include <QCommandLineParser>
#include <QFileInfo>

#include <algorithm>
#include <string_view>

#include "core/wire/catalog.h"

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
  add("start", "");
  add("out", "PATH");
  add("answers", "FILE");
  add("lang", "LANGUAGE");
  add("theme", "THEME");
  add("learner", "NAME");
  add("screenshot", "FILE");
  add("size", "WxH");
  add("course", "DIR");
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

wire::Status checkChoice(const char* option, const std::string& value, const std::string& first, const std::string& second) {
  if (value == first || value == second) return wire::success();
  return usage({"main.bad_choice", {{"option", option}, {"choices", first + ", " + second}, {"value", value}}});
}

Options::Mode modeOf(const QCommandLineParser& parser) {
  if (parser.isSet(QStringLiteral("report"))) return Options::Mode::Report;
  if (parser.isSet(QStringLiteral("screenshot"))) return Options::Mode::Screenshot;
  return parser.isSet(QStringLiteral("headless")) ? Options::Mode::Headless : Options::Mode::Window;
}

wire::Status complete(Options& options, const QCommandLineParser& parser) {
  if (parser.isSet(QStringLiteral("size"))) {
    const auto size = sizeOf(parser.value(QStringLiteral("size")));
    if (!size) return size.error();
    options.size = *size;
  }
  if (!options.theme.isEmpty())
    if (auto status = checkChoice("theme", options.theme.toStdString(), "light", "dark"); !status) return status;
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
  return std::any_of(argv + std::min(argc, 1), argv + argc, [](std::string_view argument) {
    for (const std::string_view name : {"--headless", "--report", "--screenshot", "--help", "-h", "--version", "-v"})
      if (argument == name || (argument.starts_with(name) && argument.substr(name.size()).starts_with("="))) return true;
    return false;
  });
}

wire::Result<Options> readOptions(const QStringList& arguments, bool display) {
  Options options;
  options.language = languageOf(arguments);
  if (auto status = checkChoice("lang", options.language, "en", "fr"); !status) return status.error();
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
  options.start = parser.isSet(QStringLiteral("start"));
  options.out = parser.value(QStringLiteral("out"));
  options.answers = parser.value(QStringLiteral("answers"));
  options.learner = parser.value(QStringLiteral("learner"));
  options.screenshot = parser.value(QStringLiteral("screenshot"));
  options.course = parser.value(QStringLiteral("course"));
  options.theme = parser.value(QStringLiteral("theme"));
  options.runs = parser.positionalArguments();
  if (options.mode == Options::Mode::Window && !display) options.noDisplay = true;
  if (auto status = complete(options, parser); !status) return status.error();
  return options;
}

}  // namespace atelier::app
