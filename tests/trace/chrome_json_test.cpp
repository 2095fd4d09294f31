#include "core/trace/chrome_json.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "trace_builder.h"
#include "trace_equal.h"

namespace atelier::trace::testing {
namespace {

// Some of all that a trace can hold.
Trace richTrace() {
  TraceBuilder b;
  const auto t = b.track("main thread"), worker = b.track("loader worker 1"), stream = b.track("stream 7", 0);
  b.track("a thread without events");
  b.trace().tracks[1].id = b.trace().tracks[0].id;  // two tracks that the file must tell apart
  b.trace().title = "cnn, batch 128";
  b.trace().device = "NVIDIA H100";
  b.trace().events_cut = 3;
  b.trace().memory_cut = 4;
  b.trace().memory_at_start.bytes[0] = 1000;
  b.trace().memory_at_start.bytes[5] = 7;
  b.step(t, 0, 100'000);
  b.stage(t, Stage::Data, 0, 10'000);
  b.range(t, "a \"range\"\\ with\tall \x01 of é€😀", 1000, 500);
  b.stage(t, Stage::Forward, 20'000, 20'001);
  b.module(t, "", "Net", 20'003, 18'999);
  b.module(t, "features.0", "Conv2d", 20'010, 9'000);
  b.op(t, "aten::conv2d", 20'111, 8'001, {{128, 1, 28, 28}, {32, 1, 3, 3}, {}}, "float", {"[1, 1]", "", "False"});
  b.last().sequence = 14;
  b.op(t, "aten::conv2d", 29'500, 10, {{128, 1, 28, 28}, {32, 1, 3, 3}, {}}, "float", {"[1, 1]", "", "False"});
  b.op(t, "aten::cat", 29'600, 10, {{2}, {3}}, "");
  b.runtime(t, "cudaLaunchKernel", 20'200, 100, 77);
  b.node(t, "ConvolutionBackward0", 50'000, 1000, 14);
  b.op(t, "ConvolutionBackward0", 50'100, 800);
  b.last().sequence = 14;
  b.event(Kind::Python, t, "train.py(3): main", 60'000, 1000);
  b.event(Kind::Other, t, "of no kind", 62'000, 0);
  b.range(t, "step 12", 70'000, 10);
  b.synchronize(t, "cuStreamSynchronize", 80'000, 10);
  b.loader(worker, 500, 90'000);
  b.kernel(stream, "void gemm<float, 128>(float*)", 300'000, 5'001, 77);
  b.kernel(stream, "of nobody", 310'000, 5, 99);
  b.copy(stream, "Memcpy HtoD (Pageable -> Device)", 320'000, 7, 78, 4096);
  b.memory(t, 20'500, 4096, 0xdeadbeef);
  b.memory(t, 50'200, -4096, 0xdeadbeef);
  b.memory(t, 20'600, 64, 0xfffffffffffffff0, Category::Weights, 0);
  b.memory(-1, 20'700, 8, 8);
  return b.build();
}

std::string firstId(const wire::Result<Trace>& result) {
  return result.ok() ? "" : result.error().messages.front().id;
}

Trace readWell(std::string_view text) {
  auto trace = readChromeTraceText(text);
  EXPECT_TRUE(trace.ok()) << firstId(trace);
  return trace.ok() ? std::move(trace).value() : Trace();
}

Trace readEvents(const std::string& events) {
  return readWell("{\"traceEvents\":[" + events + "]}");
}

const std::string kEvent = R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":10.000,"dur":5.000})";

}  // namespace

TEST(ChromeJson, ATraceWrittenAndReadAgainIsTheSame) {
  const auto trace = richTrace();
  const auto again = readWell(chromeTraceText(trace));
  EXPECT_EQ(difference(trace, again), "");
  EXPECT_EQ(chromeTraceText(again), chromeTraceText(trace));
}

TEST(ChromeJson, AnEmptyTraceIsTheSameToo) {
  Trace empty;
  empty.finish();
  EXPECT_EQ(difference(empty, readWell(chromeTraceText(empty))), "");
}

TEST(ChromeJson, WhatIsWrittenReadsAsKinetosDoes) {
  const auto json = nlohmann::json::parse(chromeTraceText(richTrace()));
  EXPECT_EQ(json["schemaVersion"], 1);
  EXPECT_EQ(json["displayTimeUnit"], "ms");
  EXPECT_EQ(json["deviceProperties"][0]["name"], "NVIDIA H100");
  std::set<std::string> categories;
  bool conv = false, kernel = false, step = false, memory = false;
  for (auto event : json["traceEvents"]) {
    if (event["ph"] != "M") categories.insert(event["cat"].get<std::string>());
    if (event["name"] == "aten::conv2d" && event["ts"] == 20.111) {
      conv = true;
      EXPECT_EQ(event["dur"], 8.001);
      EXPECT_EQ(event["args"]["Input Dims"], nlohmann::json::parse("[[128,1,28,28],[32,1,3,3],[],[],[],[]]"));
      EXPECT_EQ(event["args"]["Input type"][1], "float");
      EXPECT_EQ(event["args"]["Concrete Inputs"], nlohmann::json::parse(R"(["","","","[1, 1]","","False"])"));
      EXPECT_EQ(event["args"]["Sequence number"], 14);
      EXPECT_EQ(event["args"]["module"], "features.0");
      EXPECT_EQ(event["args"]["module type"], "Conv2d");
    }
    kernel = kernel || (event["cat"] == "kernel" && event["args"]["correlation"] == 77 && event["args"]["stream"] == 3);
    step = step || event["name"] == "ProfilerStep#0";
    if (event["name"] == "[memory]" && event["args"]["Addr"] == 0xdeadbeef && event["args"]["Bytes"] == 4096) {
      memory = true;
      EXPECT_EQ(event["args"]["category"], "activations");
      EXPECT_EQ(event["args"]["Device Type"], 0);
      EXPECT_EQ(event["args"]["Device Id"], -1);
    }
  }
  EXPECT_TRUE(conv && kernel && step && memory);
  EXPECT_EQ(categories, (std::set<std::string>{"ac2g", "cpu_instant_event", "cpu_op", "cuda_driver", "cuda_runtime", "fwdbwd",
                                               "gpu_memcpy", "kernel", "other", "python_function", "user_annotation"}));
}

TEST(ChromeJson, ArrowsJoinLaunchesWithKernelsAndForwardWithBackward) {
  const auto json = nlohmann::json::parse(chromeTraceText(richTrace()));
  std::vector<std::string> flows;
  for (const auto& event : json["traceEvents"])
    if (event["ph"] == "s" || event["ph"] == "f")
      flows.push_back(event["cat"].get<std::string>() + event["ph"].get<std::string>() + event["id"].dump() + "@" +
                      event["ts"].dump());
  EXPECT_EQ(flows, (std::vector<std::string>{"fwdbwds1@20.111", "fwdbwdf1@50.0", "ac2gs77@20.2", "ac2gf77@300.0"}));
}

TEST(ChromeJson, NamesThatAreNotUtf8AreRepaired) {
  TraceBuilder b;
  b.op(b.track("main"), "bad \xFF\xC0\x80 name", 0, 10);
  const auto text = chromeTraceText(b.build());
  EXPECT_TRUE(nlohmann::json::accept(text));
  EXPECT_EQ(readWell(text).names[0], "bad \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD name");
}

TEST(ChromeJson, ReadsAnArrayOfEventsToo) {
  const auto trace = readWell("[" + kEvent + "]");
  ASSERT_EQ(trace.events.size(), 1U);
  EXPECT_EQ(trace.origin, "pytorch");
  EXPECT_EQ(trace.events[0].start, 0);  // ns since the trace's start
  EXPECT_EQ(trace.events[0].duration, 5000);
}

TEST(ChromeJson, BeginsAndEndsArePaired) {
  const auto trace =
      readEvents(R"({"ph":"B","cat":"cpu_op","name":"outer","pid":1,"tid":1,"ts":10},)"
                 R"({"ph":"B","cat":"cpu_op","name":"inner","pid":1,"tid":1,"ts":11.5},)"
                 R"({"ph":"B","cat":"cpu_op","name":"other thread","pid":1,"tid":2,"ts":12},)"
                 R"({"ph":"E","pid":1,"tid":1,"ts":13},{"ph":"E","pid":1,"tid":1,"ts":20},)"
                 R"({"ph":"E","pid":1,"tid":1,"ts":21},)"
                 R"({"ph":"B","cat":"cpu_op","name":"backwards","pid":1,"tid":3,"ts":30},{"ph":"E","pid":1,"tid":3,"ts":29})");
  ASSERT_EQ(trace.events.size(), 2U);
  EXPECT_EQ(eventOf(trace, "outer").duration, 10'000);
  EXPECT_EQ(eventOf(trace, "inner").duration, 1500);
  EXPECT_EQ(eventOf(trace, "inner").parent, 0);
  EXPECT_EQ(trace.events_cut, 3);  // one without an end, an end too many, one that ends before it begins
}

TEST(ChromeJson, EventsThatMakeNoSenseAreLeftOutAndCounted) {
  const auto trace = readEvents(kEvent + R"(,{"ph":"X","name":"negative","pid":1,"tid":1,"ts":1,"dur":-1})"
                                         R"(,{"ph":"X","name":"not a number","pid":1,"tid":1,"ts":1,"dur":NaN})"
                                         R"(,{"ph":"X","name":"nor this","pid":1,"tid":1,"ts":"NaN","dur":1})"
                                         R"(,{"ph":"X","name":"without time","pid":1,"tid":1,"dur":1})"
                                         R"(,{"ph":"X","name":"without duration","pid":1,"tid":1,"ts":1})"
                                         R"(,{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1})"
                                         R"(,{"ph":"X","name":"before its clock","pid":1,"tid":1,"ts":-1,"dur":1})"
                                         R"(,{"name":"of no phase","pid":1,"tid":1,"ts":1,"dur":1})"
                                         R"(,17,"text",null,[1,[2]],{})"
                                         R"(,{"ph":"C","name":"counter","pid":1,"ts":1,"args":{"value":3}})"
                                         R"(,{"ph":"i","name":"mark","pid":1,"tid":1,"ts":1})"
                                         R"(,{"ph":"X","name":"as text","pid":"1","tid":"1","ts":"20.5","dur":"1.001"})");
  EXPECT_EQ(trace.events_cut, 8 + 5);
  ASSERT_EQ(trace.events.size(), 2U);
  EXPECT_EQ(eventOf(trace, "as text").start, 10'500);
  EXPECT_EQ(eventOf(trace, "as text").duration, 1001);
  EXPECT_EQ(eventOf(trace, "as text").track, 0);
}

TEST(ChromeJson, MemoryThatMakesNoSenseIsLeftOutAndCounted) {
  const std::string head = R"(,{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":12,"args":)";
  const auto trace = readEvents(kEvent + head + R"({"Bytes":512,"Addr":99,"Device Type":1,"Device Id":2}})" + head +
                                R"({"Bytes":512}})" + head + R"({"Addr":99}})" + head + R"({"Bytes":0,"Addr":99}})" + head +
                                R"({"Bytes":-512,"Addr":-1,"Device Type":0,"Device Id":-1}})");
  EXPECT_EQ(trace.memory_cut, 2);
  ASSERT_EQ(trace.memory.size(), 2U);
  EXPECT_EQ(trace.memory[0].device, 2);
  EXPECT_EQ(trace.memory[0].event, 0);
  EXPECT_EQ(trace.memory[1].device, -1);
  EXPECT_EQ(trace.memory[1].address, UINT64_MAX);
}

TEST(ChromeJson, MoreEventsThanAllowedAreCounted) {
  std::string events = kEvent;
  for (int i = 0; i < 9; ++i) events += "," + kEvent;
  auto trace = readChromeTraceText("{\"traceEvents\":[" + events + "]}", {4, 1 << 20});
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(trace->events.size(), 4U);
  EXPECT_EQ(trace->events_cut, 6);
}

TEST(ChromeJson, NoSumOfTimesCanOverflow) {
  std::string events;
  for (int i = 0; i < 20; ++i)
    events += R"({"ph":"X","cat":"cpu_op","name":"for ages","pid":1,"tid":)" + std::to_string(i) +
              R"(,"ts":0,"dur":999999999999999.999},)";
  const auto trace = readEvents(events + kEvent);
  std::int64_t sum = 0;
  for (const auto& event : trace.events) ASSERT_FALSE(__builtin_add_overflow(sum, event.duration, &sum));
  EXPECT_EQ(trace.events_cut, 20 - 2);
}

TEST(ChromeJson, WhatIsNoTraceIsRefused) {
  for (const char* text : {"{}", "[]", "[1,2]", "[{}]", "17", "null", "\"traceEvents\"", "{\"traceEvents\":{}}",
                           "{\"traceEvents\":7}", "{\"a\":{\"traceEvents\":[]}}"})
    EXPECT_EQ(firstId(readChromeTraceText(text)), "trace.not_a_trace") << text;
  EXPECT_EQ(firstId(readChromeTraceText("{\"traceEvents\":[]}")), "");
}

TEST(ChromeJson, DamageIsToldWithItsPlace) {
  const auto malformed = readChromeTraceText("{\"traceEvents\":[}]}");
  EXPECT_EQ(firstId(malformed), "trace.malformed");
  const std::vector<std::pair<std::string, std::string>> args{{"file", "-"}, {"why", "}]}"}, {"at", "16"}};
  EXPECT_EQ(malformed.error().messages.front().args, args);
  EXPECT_EQ(malformed.error().code, wire::ExitCode::Usage);
  const auto whole = chromeTraceText(richTrace());
  for (std::size_t size = 0; size + 2 < whole.size(); size += 97)
    EXPECT_EQ(firstId(readChromeTraceText(std::string_view(whole).substr(0, size))), "trace.truncated") << size;
}

TEST(ChromeJson, NestingAndSizeAreBounded) {
  EXPECT_EQ(firstId(readChromeTraceText(std::string(100'000, '['))), "trace.too_deep");
  EXPECT_EQ(firstId(readChromeTraceText("{\"a\":" + std::string(100, '[') + std::string(100, ']') + "}")), "trace.too_deep");
  EXPECT_EQ(firstId(readChromeTraceText(chromeTraceText(richTrace()), {100, 1000})), "trace.too_large");
}

TEST(ChromeJson, AHeadOfAnybodysIsTakenAsFarAsItGoes) {
  const auto trace = readWell(
      R"({"atelier":{"origin":17,"title":["x"],"names":"no","modules":[[1],["p","T"],7],"events_cut":-5,"memory_cut":1e400,)"
      R"("tracks":[[1,1,1,1,99999999,"t"],[1,1,1,1,0,"twice"],["a"],{"pid":1}],"memory_at_start":{"weights":-1,"other":5}},)"
      R"("traceEvents":[)" +
      kEvent + "]}");
  EXPECT_EQ(trace.origin, "atelier");
  EXPECT_EQ(trace.events_cut, 0);
  EXPECT_EQ(trace.tracks.size(), 1U);
  EXPECT_EQ(trace.memory_at_start.bytes[0], 0);
  EXPECT_EQ(trace.memory_at_start.bytes[4], 5);
  EXPECT_EQ(trace.events[0].start, 10'000);  // our own times are not moved
}

}  // namespace atelier::trace::testing
