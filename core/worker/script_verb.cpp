// script: a spec as a PyTorch script, printed, written, or run in Python beside the native runs.
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <unistd.h>

#include "command.h"
#include "control_thread.h"
#include "core/engine/script/script.h"
#include "core/engine/session/plan.h"
#include "core/registry/files.h"
#include "core/registry/registry.h"
#include "present.h"
#include "run_session.h"
#include "script_run.h"
#include "spec_arguments.h"

namespace atelier::worker {
namespace {

namespace fs = std::filesystem;
using wire::Error;
using wire::ExitCode;

struct ScriptArguments {
  SpecArguments spec;
  std::string out;
  bool run = false, events = false;
};

// A folder of its own, gone with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code problem;
    auto name = (fs::temp_directory_path(problem) / "atelier-script-XXXXXX").string();
    if (!problem && mkdtemp(name.data())) m_folder = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!m_folder.empty()) fs::remove_all(m_folder, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return m_folder; }

 private:
  fs::path m_folder;  // empty: it could not be made
};

struct Made {
  wire::RunSpec spec;
  engine::ScriptPlan plan;
  std::string text;
};

wire::Result<Made> make(const ScriptArguments& arguments, const Context& context, Input& input) {
  const auto spec = readSpec(context.schema, arguments.spec, input);
  if (arguments.run) blockSignals();  // only now: while a spec is awaited, Ctrl-C ends the program as it ends any other
  if (!spec.ok()) return spec.error();
  // A script may be made for another machine: that a GPU is missing here matters to a run alone.
  const auto valid = engine::validate(*spec);
  if (!valid.ok() && (arguments.run || valid.error().code != ExitCode::NoDevice)) return valid.error();
  const auto plan = engine::scriptPlan(*spec);
  if (!plan.ok()) return plan.error();
  return Made{*spec, *plan, engine::pytorchScript(*spec)};
}

// Never in place of a folder, a device or a pipe.
wire::Status writeScript(const fs::path& file, const std::string& text) {
  std::error_code problem;
  const auto there = fs::status(file, problem).type();
  if (there != fs::file_type::regular && there != fs::file_type::not_found)
    return registry::systemError("registry.write", file, there == fs::file_type::directory ? EISDIR : EINVAL);
  return registry::writeWhole(file, text);
}

ExitCode show(const Made& made, const ScriptArguments& arguments, const Context& context, const Console& console) {
  if (context.json) {
    nlohmann::json answer{{"script", made.text}};
    if (!arguments.out.empty()) answer["file"] = arguments.out;
    console.printJson(answer);
  } else if (arguments.out.empty()) {
    auto text = made.text;
    text.pop_back();  // print() ends the last line
    console.print(text);
  } else {
    console.print(console.texts().text(wire::Message{"script.written", {{"file", arguments.out}}}));
  }
  return ExitCode::Done;
}

ExitCode runIt(const Made& made, const ScriptArguments& arguments, Context& context, Console& console, Input& input,
               Recorder& recorder, engine::Control& control) {
  const bool json = context.json && !arguments.events;
  const auto python = findPython();
  if (!python.ok()) return refuse(python.error(), recorder, console, json);
  const TemporaryFolder temporary;
  if (temporary.path().empty()) return refuse({ExitCode::Failed, {"script.no_folder"}}, recorder, console, json);
  const fs::path file = arguments.out.empty() ? temporary.path() / "script.py" : fs::absolute(arguments.out);
  if (arguments.out.empty())
    if (const auto written = registry::writeWhole(file, made.text); !written.ok())
      return refuse(written.error(), recorder, console, json);
  Ending ending;
  {
    const ControlThread controller(control, arguments.events ? &input : nullptr);
    ending = runScript({made.spec, made.plan, *python, made.text, file, context.home}, recorder, control);
  }
  console.endProgress();
  closeRecords(ending, recorder);
  if (ending.failure) console.fail(*ending.failure);
  if (json) console.printJson(wire::toJson(ending.summaries.front()));
  else if (!arguments.events) presentRun(console, ending.summaries.front());
  return exitCode(ending);
}

ExitCode execute(const ScriptArguments& arguments, Context& context) {
  Console console(context.language, context.json || arguments.events);
  Input input(STDIN_FILENO);
  const int events = claimStdout(arguments.events);
  const auto made = make(arguments, context, input);
  engine::Control control;
  Recorder recorder(context.home, "", events, console, control);
  const bool json = context.json && !arguments.events;
  if (!made.ok()) return refuse(made.error(), recorder, console, json);
  if (!arguments.out.empty())
    if (const auto written = writeScript(arguments.out, made->text); !written.ok())
      return refuse(written.error(), recorder, console, json);
  return arguments.run ? runIt(*made, arguments, context, console, input, recorder, control)
                       : show(*made, arguments, context, console);
}

}  // namespace

Run declareScript(CLI::App& command, Context& context) {
  auto arguments = std::make_shared<ScriptArguments>();
  const auto texts = wire::Catalog::builtIn(context.language);
  declareSpec(command, context.schema, arguments->spec, texts);
  command.add_option("--out", arguments->out, texts.text("cli.script.out"))->type_name("FILE.py");
  auto* run = command.add_flag("--run", arguments->run, texts.text("cli.script.run"));
  command.add_flag("--events", arguments->events, texts.text("cli.events"))->needs(run);
  return [arguments, &context] { return execute(*arguments, context); };
}

}  // namespace atelier::worker
