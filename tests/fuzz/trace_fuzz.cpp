// A trace from anywhere: any text as a Chrome trace, and any bytes that look packed as a file. What can be read keeps the
// promises of Trace, can be analysed, and is the same when it is written and read again; what can't is refused with its reason.
#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "core/trace/chrome_json.h"
#include "core/trace/tables.h"
#include "fuzz.h"
#include "tests/trace/trace_builder.h"
#include "tests/trace/trace_equal.h"

namespace atelier::fuzz {
namespace {

using trace::Trace;

const trace::ReadLimits kLimits{20'000, 1 << 22};

Trace profiled() {
  trace::testing::TraceBuilder b;
  const auto t = b.track("main thread"), worker = b.track("loader worker 1"), stream = b.track("stream 7", 0);
  b.trace().device = "NVIDIA H100";
  b.step(t, 0, 1000);
  b.stage(t, trace::Stage::Data, 0, 100);
  b.stage(t, trace::Stage::Forward, 100, 300);
  b.module(t, "", "Net", 110, 200);
  b.op(t, "aten::conv2d", 120, 100, {{8, 1, 28, 28}, {4, 1, 3, 3}}, "float", {"[1, 1]", "1"});
  b.last().sequence = 3;
  b.runtime(t, "cudaLaunchKernel", 130, 10, 5);
  b.node(t, "ConvolutionBackward0", 500, 100, 3);
  b.op(t, "aten::item", 700, 50);
  b.loader(worker, 10, 900);
  b.kernel(stream, "conv", 400, 300, 5);
  b.copy(stream, "Memcpy DtoH (Device -> Pageable)", 800, 10, 6, 4);
  b.memory(t, 140, 512, 0x1000);
  b.memory(t, 550, -512, 0x1000);
  return b.build();
}

constexpr const char* kPython = R"json({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"H100"}],"traceEvents":[
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#2","pid":1,"tid":1,"ts":5205382885092.000,"dur":900.000,
"args":{"External id":1}},
{"ph":"X","cat":"python_function","name":"nn.Module: Conv2d_0","pid":1,"tid":1,"ts":5205382885110.000,"dur":100.0},
{"ph":"X","cat":"cpu_op","name":"aten::stack","pid":1,"tid":1,"ts":5205382885120.5,"dur":50,"args":{"Sequence number":14,
"Concrete Inputs":["","0"],"Input type":["TensorList","Scalar"],"Input Dims":[[[1,28],[1,28]],[]]}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":5205382885130,"dur":5,
"args":{"correlation":42}},
{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5205382885300.5,"dur":50.25,
"args":{"device":0,"stream":7,"correlation":42}},
{"ph":"X","cat":"cpu_op","name":"autograd::engine::evaluate_function: StackBackward0","pid":1,"tid":9,
"ts":5205382885600,"dur":80,"args":{"Sequence number":14,"Fwd thread id":1}},
{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":5205382885220.0,
"args":{"Bytes":512,"Device Id":0,"Device Type":1,"Addr":140243894665216}},
{"ph":"B","cat":"cpu_op","name":"begun","pid":1,"tid":1,"ts":5205382885140},
{"ph":"E","pid":1,"tid":1,"ts":5205382885141},
{"name":"thread_name","ph":"M","ts":0,"pid":1,"tid":9,"args":{"name":"thread 9 (pt_autograd_0)"}}
],"traceName":"t.json"})json";

void checkOrder(const Trace& trace) {
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    require(event.duration >= 0, "no event ends before it begins");
    require(i == 0 || trace.events[i - 1].track <= event.track, "events stand by their tracks");
    require(i == 0 || trace.events[i - 1].track < event.track || trace.events[i - 1].start <= event.start,
            "events of a track stand by their begins");
    if (event.parent < 0) continue;
    require(static_cast<std::size_t>(event.parent) < i, "a parent stands before its children");
    const auto& parent = trace.events[static_cast<std::size_t>(event.parent)];
    require(parent.track == event.track && parent.start <= event.start && event.end() <= parent.end(),
            "a parent encloses its children");
  }
  for (const auto& change : trace.memory)
    require(change.event < static_cast<std::int32_t>(trace.events.size()), "an allocation's event is one");
}

void checkAnalyses(const Trace& trace) {
  const auto times = trace::timesOf(trace);
  const auto costs = trace::costsOf(trace);
  std::int64_t self = 0, roots = 0, device = 0, launched = 0;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    require(times.self[i] >= 0, "no self time is negative");
    self += times.self[i];
    if (trace.events[i].parent < 0) roots += trace.events[i].duration;
    if (trace.onDevice(trace.events[i])) device += trace.events[i].duration;
    launched += times.device_self[i];
  }
  require(self == roots, "self times sum to those of the roots");
  require(launched <= device, "no kernel is charged twice");
  const auto span = trace::stepsSpan(trace);
  const auto breakdown = trace::breakdownOf(trace, times, span);
  std::int64_t parts = 0;
  for (const auto part : breakdown.stage_ns) parts += part;
  require(parts == breakdown.wall_ns, "the parts of the steps sum to their time");
  std::int64_t total = 0, listed = 0;
  for (const auto& idle : trace::idleTimes(trace, span, 1'000'000, &total)) listed += idle.to - idle.from;
  require(listed == total, "the stretches of idleness sum to all of it");
  for (const auto group : {trace::GroupBy::Name, trace::GroupBy::NameAndShapes}) {
    std::int64_t calls = 0;
    for (const auto& row : trace::operatorTable(trace, times, costs, {}, {INT64_MIN, INT64_MAX}, group)) calls += row.calls;
    for (const auto& event : trace.events) calls -= event.kind == trace::Kind::Operator ? 1 : 0;
    require(calls == 0, "each operator is counted once");
  }
  trace::moduleTable(trace, times, costs, span);
  trace::kernelTable(trace, span);
  require(trace::transfers(trace, span).size() <= trace.events.size(), "nothing is transferred twice");
}

void checkTrace(const wire::Result<Trace>& read) {
  if (!read) return requireTold(read.error());
  checkOrder(*read);
  checkAnalyses(*read);
  const auto text = trace::chromeTraceText(*read);
  require(nlohmann::json::accept(text), "what is written is JSON");
  const auto again = trace::readChromeTraceText(text);
  require(again.ok(), "what was written can be read");
  // Names that were not UTF-8 are repaired by now.
  const auto third = trace::readChromeTraceText(trace::chromeTraceText(*again));
  require(third.ok() && trace::testing::difference(*again, *third).empty(), "a trace is the same when written and read again");
}

}  // namespace

std::vector<std::string> seeds() {
  return {trace::chromeTraceText(profiled()), kPython, R"([{"ph":"X","name":"a","pid":0,"tid":0,"ts":1,"dur":2}])",
          R"({"traceEvents":[]})"};
}

std::vector<std::string> words() {
  return {R"("ph":"X",)",
          R"("ph":"B",)",
          R"("ph":"E",)",
          R"("cat":"kernel",)",
          R"("cat":"cpu_op",)",
          R"("cat":"cuda_runtime",)",
          R"("cat":"python_function",)",
          R"("cat":"user_annotation",)",
          R"("name":"nn.Module: Net_0",)",
          R"("name":"ProfilerStep#1",)",
          R"("name":"forward",)",
          R"("name":"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",)",
          R"("name":"autograd::engine::evaluate_function: X",)",
          R"("kind":"loader",)",
          R"("stage":"backward",)",
          R"("backward":true,)",
          R"("dur":NaN,)",
          R"("dur":0,)",
          R"("ts":-1e300,)",
          R"("ts":2305843009213693.952,)",
          R"("device":1,)",
          R"("Addr":18446744073709551615,)",
          R"("Bytes":-9223372036854775808,)",
          "\\ud800",
          "\xff"};
}

}  // namespace atelier::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace atelier;
  const auto text = fuzz::textOf(data, size);
  const auto read = trace::readChromeTraceText(text, fuzz::kLimits);
  fuzz::checkTrace(read);
  // The scanner takes all that the library takes, which takes a zero byte for the end of the text.
  if (text.find('\0') == std::string::npos && nlohmann::json::accept(text) && !read)
    for (const auto& message : read.error().messages)
      fuzz::require(message.id != "trace.malformed" && message.id != "trace.truncated", "JSON is not called malformed");
  if (!text.starts_with('\x1f')) return 0;
  const fuzz::Playground playground;
  const auto file = playground.home() / "trace.json.gz";
  fuzz::writeFile(file, text);
  fuzz::checkTrace(trace::readChromeTrace(file, fuzz::kLimits));
  return 0;
}
