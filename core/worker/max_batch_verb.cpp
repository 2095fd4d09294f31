// max-batch: the largest batch that trains within the memory there is, found by training, with what was predicted beside what
// was measured.
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "command.h"
#include "control_thread.h"
#include "core/engine/monitor/tensor_memory.h"
#include "core/engine/session/max_batch.h"
#include "core/wire/number.h"
#include "recorder.h"
#include "run_session.h"
#include "spec_arguments.h"

namespace atelier::worker {
namespace {

using engine::BatchSearch;
using engine::BatchTry;
using nlohmann::json;
using wire::ExitCode;
using wire::MemoryBytes;
using wire::Message;

constexpr std::int64_t kLargestMultiple = 1 << 20;

struct BatchArguments {
  SpecArguments spec;
  std::int64_t multiple = 1;
  bool events = false;
};

json tryJson(const BatchTry& one) {
  json entry{{"batch", one.batch}, {"fits", one.fits}};
  if (one.fits) entry["peak_bytes"] = one.peak.total;
  if (one.predicted) entry["predicted_bytes"] = one.predicted->total;
  return entry;
}

// Bytes over the batch, part by part.
json lineJson(const engine::StageLine& line, double engine::BytesLine::*member) {
  json object;
  wire::putNumber(object, "total", line.total().*member);
  wire::putNumber(object, "weights", line.weights.*member);
  wire::putNumber(object, "gradients", line.gradients.*member);
  wire::putNumber(object, "optimizer", line.optimizer.*member);
  wire::putNumber(object, "activations", line.activations.*member);
  wire::putNumber(object, "other", line.other.*member);
  return object;
}

json modelJson(const BatchSearch& found) {
  const auto& counted = found.counted;
  json model{{"values", counted.values},
             {"trained_values", counted.trained},
             {"weights_bytes", counted.weights},
             {"gradients_bytes", counted.gradients},
             {"optimizer_bytes", counted.optimizer}};
  if (const auto& forecast = found.forecast) {
    model["stage"] = engine::stageName(forecast->stage);
    model["fitted_from"] = {forecast->from[0], forecast->from[1]};
    model["constant_bytes"] = lineJson(forecast->line, &engine::BytesLine::constant);
    model["bytes_per_sample"] = lineJson(forecast->line, &engine::BytesLine::per_sample);
  }
  return model;
}

json searchJson(const BatchSearch& found, const wire::RunSpec& spec) {
  json object{{"status", found.interrupted ? "interrupted" : "done"},
              {"multiple", found.bounds.multiple},
              {"samples", found.bounds.most},
              {"budget_bytes", found.limit.bytes},
              {"budget_source", found.limit.source},
              {"out_of_memory_at", found.out_of_memory_at ? json(*found.out_of_memory_at) : json()},
              {"tries", json::array()},
              {"model", modelJson(found)},
              {"notices", wire::toJson(found.notices)}};
  for (const auto& one : found.tries) object["tries"].push_back(tryJson(one));
  if (found.batch == 0) return object;
  const auto& best = found.best();
  object["batch"] = found.batch;
  object["effective_batch"] = found.batch * spec.integer("accumulation");
  object["peak_bytes"] = best.peak.total;
  object["peak_memory_bytes"] = wire::toJson(best.peak);
  if (found.forecast) object["predicted_memory_bytes"] = wire::toJson(found.forecast->bytes);
  return object;
}

std::string mebibytes(const Console& console, std::int64_t bytes) {
  return console.format().number(static_cast<double>(bytes) / (1 << 20), 4);
}

void presentTries(const Console& console, const BatchSearch& found) {
  std::vector<std::vector<std::string>> rows{{console.text("batch.column.batch"), console.text("max_batch.verdict"),
                                              console.text("batch.column.peak") + " (MiB)",
                                              console.text("batch.column.predicted") + " (MiB)"}};
  for (const auto& one : found.tries)
    rows.push_back({console.format().integer(one.batch), console.text(one.fits ? "batch.fits" : "batch.too_much"),
                    one.fits ? mebibytes(console, one.peak.total) : "—",
                    one.predicted ? mebibytes(console, one.predicted->total) : "—"});
  console.table(rows);
}

// What was measured at the answer beside what smaller batches foretold, part by part.
void presentParts(const Console& console, const BatchSearch& found) {
  const auto& measured = found.best().peak;
  const auto row = [&](const char* id, std::int64_t MemoryBytes::*part) {
    return std::vector<std::string>{console.text(id), mebibytes(console, measured.*part),
                                    found.forecast ? mebibytes(console, found.forecast->bytes.*part) : "—"};
  };
  console.print("");
  console.table({{console.texts().text(Message{"max_batch.parts", {{"batch", std::to_string(found.batch)}}}),
                  console.text("max_batch.measured") + " (MiB)", console.text("batch.column.predicted") + " (MiB)"},
                 row("max_batch.weights", &MemoryBytes::weights),
                 row("max_batch.gradients", &MemoryBytes::gradients),
                 row("max_batch.optimizer", &MemoryBytes::optimizer),
                 row("max_batch.activations", &MemoryBytes::activations),
                 row("max_batch.other", &MemoryBytes::other),
                 row("max_batch.total", &MemoryBytes::total)});
}

// The prediction in words: what is counted, and the line that the rest follows.
void presentFormula(const Console& console, const BatchSearch& found, const wire::RunSpec& spec) {
  const auto& format = console.format();
  const auto& counted = found.counted;
  const auto say = [&](Message message) { console.print(console.texts().text(message)); };
  console.print("");
  say({"max_batch.formula.counted",
       {{"values", format.integer(counted.values)},
        {"weights", format.bytes(counted.weights)},
        {"trained", format.integer(counted.trained)},
        {"gradients", format.bytes(counted.gradients)},
        {"kind", spec.text("optimizer")},
        {"optimizer", format.bytes(counted.optimizer)}}});
  if (!found.forecast) return;
  const auto& forecast = *found.forecast;
  const auto total = forecast.line.total();
  say({"max_batch.formula.line",
       {{"stage", console.text("stage." + std::string(engine::stageName(forecast.stage)))},
        {"constant", format.bytes(std::llround(total.constant))},
        {"sample", format.bytes(std::llround(total.per_sample))},
        {"activations", format.bytes(std::llround(forecast.line.activations.per_sample))},
        {"first", format.integer(forecast.from[0])},
        {"second", format.integer(forecast.from[1])}}});
}

void present(const Console& console, const BatchSearch& found, const wire::RunSpec& spec) {
  const auto& format = console.format();
  const auto say = [&](Message message) { console.print(console.texts().text(message)); };
  if (!found.tries.empty()) presentTries(console, found);
  if (found.batch > 0) {
    presentParts(console, found);
    presentFormula(console, found, spec);
  }
  console.print("");
  for (const auto& notice : found.notices) say(notice);
  if (found.interrupted) say({"max_batch.interrupted"});
  if (found.batch == 0) return;
  say({"batch.largest", {{"batch", format.integer(found.batch)}, {"mebibytes", mebibytes(console, found.best().peak.total)}}});
  if (found.out_of_memory_at) say({"batch.beyond", {{"batch", format.integer(*found.out_of_memory_at)}}});
  else if (!found.interrupted) say({"batch.no_limit"});
  if (const auto windows = spec.integer("accumulation"); windows > 1)
    say({"max_batch.effective",
         {{"accumulation", std::to_string(windows)}, {"effective", format.integer(windows * found.batch)}}});
}

// How a try ended, where people and events are told of each.
Message toldOf(const BatchTry& one) {
  const auto size = std::to_string(std::llround(static_cast<double>(one.peak.total) / (1 << 20)));
  if (one.fits) return {"max_batch.tried.fits", {{"batch", std::to_string(one.batch)}, {"mebibytes", size}}};
  return {"max_batch.tried.too_much", {{"batch", std::to_string(one.batch)}}};
}

ExitCode execute(const BatchArguments& arguments, Context& context) {
  constexpr double kExpectedTries = 16;  // how many there will be is known at the end
  Console console(context.language, context.json || arguments.events);
  Input input(STDIN_FILENO);
  const int events = claimStdout(arguments.events);
  const bool asJson = context.json && !arguments.events;
  const auto spec = readSpec(context.schema, arguments.spec, input);
  blockSignals();  // only now: while a spec is awaited, Ctrl-C ends the program as it ends any other
  engine::Control control;
  Recorder recorder(context.home, "", events, console, control);
  if (!spec.ok()) return refuse(spec.error(), recorder, console, asJson);
  recorder.take("", wire::PhaseChanged{"searching"});
  int tries = 0;
  const auto tried = [&](const BatchTry& one) {
    const auto said = toldOf(one);
    if (events >= 0) recorder.take("", wire::Noticed{said, "info"});
    console.progress("max-batch", std::min(0.99, ++tries / kExpectedTries), console.texts().text(said));
  };
  wire::Result<BatchSearch> found(BatchSearch{});
  {
    const ControlThread controller(control, arguments.events ? &input : nullptr);
    found = engine::findMaxBatch(*spec, arguments.multiple, context.memory, control, tried);
  }
  console.endProgress();
  if (!found.ok()) return refuse(found.error(), recorder, console, asJson);
  if (arguments.events) recorder.take("", wire::Answered{"max-batch", searchJson(*found, *spec)});
  else if (asJson) console.printJson(searchJson(*found, *spec));
  else present(console, *found, *spec);
  return found->interrupted ? ExitCode::Interrupted : ExitCode::Done;
}

}  // namespace

Run declareMaxBatch(CLI::App& command, Context& context) {
  auto arguments = std::make_shared<BatchArguments>();
  const auto texts = wire::Catalog::builtIn(context.language);
  declareSpec(command, context.schema, arguments->spec, texts);
  command.add_option("--multiple", arguments->multiple, texts.text("cli.max_batch.multiple"))
      ->check(CLI::Range(std::int64_t{1}, kLargestMultiple))
      ->type_name("N");
  command.add_flag("--events", arguments->events, texts.text("cli.events"));
  return [arguments, &context] { return execute(*arguments, context); };
}

}  // namespace atelier::worker
