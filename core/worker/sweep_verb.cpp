// sweep: one run for every combination of some keys' values, measured in shuffled order in one process; then the point that
// was measured first once more, to see whether the machine drifted meanwhile.
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "command.h"
#include "control_thread.h"
#include "core/engine/monitor/tensor_memory.h"
#include "core/engine/session/plan.h"
#include "core/wire/sweep.h"
#include "present.h"
#include "run_session.h"
#include "spec_arguments.h"

namespace atelier::worker {
namespace {

using wire::Error;
using wire::ExitCode;

struct SweepArguments {
  SpecArguments spec;
  std::vector<std::string> grid;
  std::string name;
  bool events = false;
};

struct Planned {
  wire::SweepSummary sweep;
  std::vector<wire::RunSpec> specs;  // of its points
};

// A point that this machine can't run is measured like any other, and fails with its reason; a sweep of nothing else is a
// mistake.
wire::Status somePointIsValid(const std::vector<wire::RunSpec>& specs) {
  std::optional<Error> first;
  for (const auto& spec : specs) {
    auto valid = engine::validate(spec);
    if (valid.ok()) return valid;
    if (!first) first = valid.error();
  }
  return first.value_or(Error{ExitCode::Usage, {"sweep.no_grid"}});
}

wire::Result<Planned> plan(const SweepArguments& arguments, const Context& context, Input& input) {
  Error mistakes{ExitCode::Usage, std::vector<wire::Message>{}};
  const auto keys = specKeys(context.schema, arguments.spec, input, mistakes);
  blockSignals();  // only now: while a spec is awaited, Ctrl-C ends the program as it ends any other
  if (!keys.ok()) return keys.error();
  const auto axes = wire::readAxes(context.schema, arguments.grid);
  if (!axes.ok()) addMistakes(mistakes, axes.error());
  if (const auto base = wire::RunSpec::parse(context.schema, *keys); !base.ok()) addMistakes(mistakes, base.error());
  if (!mistakes.messages.empty()) return mistakes;
  Planned planned;
  planned.sweep.id = registry::makeRunId();
  planned.sweep.name = arguments.name;
  planned.sweep.axes = *axes;
  for (const auto& values : wire::gridPoints(*axes)) {
    auto all = *keys;
    all.update(values);
    auto spec = wire::RunSpec::parse(context.schema, all);
    if (!spec.ok()) return spec.error();
    planned.specs.push_back(std::move(spec).value());
    wire::SweepPoint point{std::to_string(planned.specs.size()), values};
    point.summary.status = "not_run";
    planned.sweep.points.push_back(std::move(point));
  }
  if (auto valid = somePointIsValid(planned.specs); !valid.ok()) return valid.error();
  return planned;
}

// The sweep under way. Main thread.
class Sweep {
 public:
  Sweep(Context& context, Console& console, engine::Control& control, int events, registry::Registry& registry, Planned planned)
      : m_context(context),
        m_console(console),
        m_control(control),
        m_events(events),
        m_registry(registry),
        m_sweep(std::move(planned.sweep)),
        m_specs(std::move(planned.specs)) {}

  // `whole`: takes what is said of the sweep rather than of a point.
  void run(Recorder& whole);
  const wire::SweepSummary& summary() const { return m_sweep; }
  // Why no more could be recorded.
  const std::optional<Error>& failure() const { return m_failure; }
  ExitCode code() const;

 private:
  void measure(std::size_t point);
  void measureDrift(Recorder& whole);
  wire::RunSummary runPoint(std::size_t point, bool again);
  void nameRun(const wire::RunSummary& run, const nlohmann::json& values);
  void keep();
  void giveUp(const Error& error);

  Context& m_context;
  Console& m_console;
  engine::Control& m_control;
  int m_events;
  registry::Registry& m_registry;
  wire::SweepSummary m_sweep;
  std::vector<wire::RunSpec> m_specs;
  std::size_t m_begun = 0;             // points, the drift check included
  std::optional<std::size_t> m_first;  // the first point that was measured whole
  std::optional<Error> m_failure;
  ExitCode m_pointCode = ExitCode::Done;  // of the last point that failed
};

void Sweep::run(Recorder& whole) {
  whole.take("", wire::SweepStarted{m_sweep.id, m_sweep.axes, static_cast<int>(m_specs.size())});
  keep();
  for (const auto point : wire::measuringOrder(m_specs.size()))
    if (!m_control.stopped()) measure(point);
  if (!m_control.stopped()) measureDrift(whole);
  m_sweep.status = m_failure ? "failed" : m_control.stopped() ? "interrupted" : "done";
  keep();
  whole.take("", wire::SweepFinished{m_sweep});
}

void Sweep::measure(std::size_t point) {
  m_sweep.points[point].summary = runPoint(point, false);
  if (!m_first && m_sweep.points[point].summary.status == "done") m_first = point;
  keep();
}

void Sweep::measureDrift(Recorder& whole) {
  const auto measured = std::count_if(m_sweep.points.begin(), m_sweep.points.end(),
                                      [](const wire::SweepPoint& point) { return point.summary.status == "done"; });
  if (!m_first || measured < 2) return;
  const auto again = runPoint(*m_first, true);
  const auto& before = m_sweep.points[*m_first].summary.samples_per_second;
  m_sweep.drift_run = again.id;
  if (again.status != "done" || !again.samples_per_second || !before) return;
  m_sweep.drift = again.samples_per_second->median / before->median;
  const double moved = *m_sweep.drift - 1;
  if (std::fabs(moved) > wire::kSweepDrift)
    whole.take("", wire::Noticed{{"sweep.drifted", {{"percent", fmt::format("{:+.0f}", 100 * moved)}}}, "warning"});
}

// One run, from its start to its record; `again`: the drift check.
wire::RunSummary Sweep::runPoint(std::size_t point, bool again) {
  const auto& place = m_sweep.points[point];
  const auto count = m_specs.size() + 1;  // with the drift check
  const double share = 1.0 / static_cast<double>(count);
  Recorder recorder(m_context.home, "", m_events, m_console, m_control,
                    {share * static_cast<double>(m_begun), share, fmt::format("{}/{} ", m_begun + 1, count)});
  ++m_begun;
  const auto tell = [&](const std::string& variant, wire::EventBody body) {
    if (auto* started = std::get_if<wire::RunStarted>(&body)) {
      started->environment["sweep"] = m_sweep.id;
      started->environment["sweep_point"] = place.values;
      if (again) started->environment["sweep_drift"] = true;
    }
    recorder.take(variant, std::move(body));
  };
  m_context.memory.trim();  // one point's kept blocks must not serve the next
  const auto variant = again ? std::to_string(count) : place.variant;
  engine::Session session(withFolders({{registry::makeRunId(), variant, m_specs[point]}}, recorder), m_context.memory,
                          m_control, tell);
  auto ending = runToEnd(session, recorder, false);
  closeRecords(ending, recorder);
  if (const auto unwritten = recorder.failure()) giveUp(*unwritten);
  if (ending.failure) m_pointCode = ending.failure->code;
  nameRun(ending.summaries.front(), place.values);
  return ending.summaries.front();
}

void Sweep::nameRun(const wire::RunSummary& run, const nlohmann::json& values) {
  if (m_sweep.name.empty() || m_failure) return;
  registry::Labels labels;
  labels.name = m_sweep.name + " " + pointText(values);
  if (const auto labelled = m_registry.label(run.id, labels); !labelled.ok()) m_console.fail(labelled.error());
}

// After each point, so that a sweep whose process is killed keeps what it measured.
void Sweep::keep() {
  wire::judge(m_sweep);
  if (const auto put = m_registry.putSweep(m_sweep); !put.ok()) giveUp(put.error());
}

void Sweep::giveUp(const Error& error) {
  if (!m_failure) m_failure = error;
  m_control.stop();
}

ExitCode Sweep::code() const {
  if (m_failure) return m_failure->code;
  if (m_sweep.status == "interrupted") return ExitCode::Interrupted;
  return m_first ? ExitCode::Done : m_pointCode;  // some points may fail; when all do, so has the sweep
}

ExitCode execute(const SweepArguments& arguments, Context& context) {
  Console console(context.language, context.json || arguments.events);
  Input input(STDIN_FILENO);
  const int events = claimStdout(arguments.events);
  const bool json = context.json && !arguments.events;
  auto planned = plan(arguments, context, input);
  engine::Control control;
  Recorder whole(context.home, "", events, console, control);
  if (!planned.ok()) return refuse(planned.error(), whole, console, json);
  auto registry = registry::Registry::open(context.home);
  if (!registry.ok()) return refuse(registry.error(), whole, console, json);
  Sweep sweep(context, console, control, events, **registry, std::move(planned).value());
  {
    const ControlThread controller(control, arguments.events ? &input : nullptr);
    sweep.run(whole);
  }
  console.endProgress();
  if (sweep.failure()) console.fail(*sweep.failure());
  if (json) console.printJson(wire::toJson(sweep.summary()));
  else if (!arguments.events) presentSweep(console, sweep.summary());
  return sweep.code();
}

}  // namespace

Run declareSweep(CLI::App& command, Context& context) {
  auto arguments = std::make_shared<SweepArguments>();
  const auto texts = wire::Catalog::builtIn(context.language);
  declareSpec(command, context.schema, arguments->spec, texts);
  command.add_option("--grid", arguments->grid, texts.text("cli.sweep.grid"))
      ->type_name("KEY=VALUE,VALUE…")
      ->allow_extra_args(false);
  command.add_option("--name", arguments->name, texts.text("cli.sweep.name"))->type_name("NAME");
  command.add_flag("--events", arguments->events, texts.text("cli.events"));
  return [arguments, &context] { return execute(*arguments, context); };
}

}  // namespace atelier::worker
