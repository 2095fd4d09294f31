// A trace as torch.profiler exports it, in small: with stacks and memory, on a GPU, in a container whose process is number 1.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/trace/chrome_json.h"
#include "core/trace/tables.h"
#include "trace_builder.h"
#include "trace_equal.h"

namespace atelier::trace::testing {
namespace {

constexpr const char* kExported = R"json(
  {
    "schemaVersion": 1,
    "deviceProperties": [
    {
      "id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85014347776, "warpSize": 32
    },
    {
      "id": 1, "name": "NVIDIA of another kind"
    }
    ],
      "trace_id": "B6C626738AFD4A0F9A5F1F52F082E88F", "with_stack": 1,
  "displayTimeUnit": "ms", "baseTimeNanoseconds": 1790857026000000000,
  "traceEvents": [
  {
    "ph": "X", "cat": "user_annotation", "name": "ProfilerStep#2", "pid": 1, "tid": 1,
    "ts": 5205382885092.000, "dur": 900.000,
    "args": {
      "External id": 1,"Record function id": 0, "Ev Idx": 0
    }
  },
  {
    "ph": "X", "cat": "cpu_op", "name": "aten::conv2d", "pid": 1, "tid": 1,
    "ts": 5205382885212.281, "dur": 67.797,
    "args": {
      "External id": 3,"Sequence number": 14, "Fwd thread id": 0, "Record function id": 0,
      "Concrete Inputs": ["", "", "", "[1, 1]", "[0, 0]", "[1, 1]", "1"],
      "Input type": ["float", "float", "", "ScalarList", "ScalarList", "ScalarList", "Scalar"],
      "Input Strides": [[784, 784, 28, 1], [9, 9, 3, 1], [], [], [], [], []],
      "Input Dims": [[8, 1, 28, 28], [4, 1, 3, 3], [], [], [], [], []], "Ev Idx": 2
    }
  },
  {
    "ph": "X", "cat": "cpu_op", "name": "aten::stack", "pid": 1, "tid": 1,
    "ts": 5205382885100.000, "dur": 10.000,
    "args": {
      "External id": 2, "Concrete Inputs": ["", "0"], "Input type": ["TensorList", "Scalar"],
      "Input Strides": [[[784, 28, 1], [784, 28, 1]], []], "Input Dims": [[[1, 28, 28], [1, 28, 28]], []]
    }
  },
  {
    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
    "ts": 5205382885230.000, "dur": 5.500,
    "args": {
      "External id": 3, "cbid": 211, "correlation": 42
    }
  },
  {
    "ph": "s", "id": 42, "pid": 1, "tid": 1, "ts": 5205382885230.000,
    "cat": "ac2g", "name": "ac2g"
  },
  {
    "ph": "X", "cat": "kernel", "name": "void cudnn::conv<float>(float const*, \"x\")", "pid": 0, "tid": 7,
    "ts": 5205382885300.500, "dur": 50.250,
    "args": {
      "External id": 3, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": 42,
      "blocks per SM": inf, "warps per SM": NaN, "grid": [1, 2, 3], "est. achieved occupancy %": 12
    }
  },
  {
    "ph": "f", "id": 42, "pid": 0, "tid": 7, "ts": 5205382885300.500,
    "cat": "ac2g", "name": "ac2g", "bp": "e"
  },
  {
    "ph": "X", "cat": "gpu_user_annotation", "name": "ProfilerStep#2", "pid": 0, "tid": 7,
    "ts": 5205382885300.499, "dur": 500.000, "args": {}
  },
  {
    "ph": "X", "cat": "cuda_sync", "name": "Stream Sync", "pid": 0, "tid": 7,
    "ts": 5205382885400.000, "dur": 300.000, "args": {"cuda_sync_kind": "Stream Sync"}
  },
  {
    "ph": "X", "cat": "cuda_runtime", "name": "cudaMemcpyAsync", "pid": 1, "tid": 1,
    "ts": 5205382885700.000, "dur": 5.000, "args": {"correlation": 43}
  },
  {
    "ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoH (Device -> Pageable)", "pid": 0, "tid": 7,
    "ts": 5205382885710.000, "dur": 2.000, "args": {"device": 0, "stream": 7, "correlation": 43, "bytes": 4}
  },
  {
    "ph": "X", "cat": "kernel", "name": "second", "pid": 1, "tid": 1,
    "ts": 5205382885500.000, "dur": 1.000, "args": {"device": 1, "stream": 1, "correlation": 44}
  },
  {
    "ph": "X", "cat": "cpu_op", "name": "autograd::engine::evaluate_function: ConvolutionBackward0", "pid": 1, "tid": 99,
    "ts": 5205382885600.000, "dur": 80.000,
    "args": {
      "External id": 92, "Record function id": 0, "Sequence number": 14, "Fwd thread id": 1
    }
  },
  {
    "ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, "ts": 5205382885220.000,
    "args": {
      "Total Reserved": 2097152, "Total Allocated": 512, "Bytes": 512, "Device Id": 0, "Device Type": 1, "Addr": 140243894665216
    }
  },
  {
    "ph": "X", "cat": "python_function", "name": "profiler.py(894): step", "pid": 1, "tid": 1,
    "ts": 5205382885080.000, "dur": 30.000, "args": {"Python parent id": null, "Python id": 1}
  },
  {
    "ph": "X", "cat": "python_function", "name": "nn.Module: Net_0", "pid": 1, "tid": 1,
    "ts": 5205382885200.000, "dur": 100.000, "args": {"Python parent id": 1, "Python id": 178, "Python module id": 0}
  },
  {
    "ph": "X", "cat": "python_function", "name": "nn.Module: Conv2d_0", "pid": 1, "tid": 1,
    "ts": 5205382885210.000, "dur": 80.000, "args": {"Python parent id": 178, "Python id": 184, "Python module id": 0}
  },
  {
    "name": "process_name", "ph": "M", "ts": 5205382884678.291, "pid": 1, "tid": 0, "args": { "name": "python" }
  },
  {
    "name": "thread_name", "ph": "M", "ts": 5205382884678.291, "pid": 1, "tid": 99,
    "args": { "name": "thread 99 (pt_autograd_0)" }
  },
  {
    "name": "thread_name", "ph": "M", "ts": 5205382884678.291, "pid": 0, "tid": 7, "args": { "name": "stream 7 " }
  },
  {
    "ph": "X", "cat": "Trace", "ts": 5205382884472.816, "dur": 21581.996,
    "pid": "Spans", "tid": "PyTorch Profiler", "name": "PyTorch Profiler (0)", "args": { "Op count": 0 }
  },
  {
    "name": "Iteration Start: PyTorch Profiler", "ph": "i", "s": "g",
    "pid": "Traces", "tid": "Trace PyTorch Profiler", "ts": 5205382884472.816
  },
  {
    "name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", "ts": 5205382918373.220
  }
  ],
      "ERROR": ["ERROR:2026-11-30 DeviceProperties.cpp:48] x"],
  "traceName": "net.json"
})json";

Trace exported() {
  auto trace = readChromeTraceText(kExported);
  EXPECT_TRUE(trace.ok());
  return trace.ok() ? std::move(trace).value() : Trace();
}

const Track& trackOf(const Trace& trace, std::string_view event) {
  return trace.tracks.at(static_cast<std::size_t>(eventOf(trace, event).track));
}

std::string moduleOf(const Trace& trace, std::string_view event) {
  const auto module = eventOf(trace, event).module;
  return module < 0 ? "none" : trace.modules[static_cast<std::size_t>(module)].path;
}

constexpr const char* kNode = "autograd::engine::evaluate_function: ConvolutionBackward0";
constexpr const char* kKernel = "void cudnn::conv<float>(float const*, \"x\")";

}  // namespace

TEST(ChromePython, EventsStandAtTheirNanoseconds) {
  const auto trace = exported();
  EXPECT_EQ(trace.origin, "pytorch");
  EXPECT_EQ(trace.title, "net.json");
  EXPECT_EQ(trace.device, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(trace.events_cut, 0);
  EXPECT_EQ(trace.events.size(), 12U);
  EXPECT_EQ(eventOf(trace, "profiler.py(894): step").start, 0);
  EXPECT_EQ(eventOf(trace, "ProfilerStep#2").start, 12'000);
  EXPECT_EQ(eventOf(trace, "ProfilerStep#2").duration, 900'000);
  EXPECT_EQ(eventOf(trace, "aten::conv2d").start, 132'281);
  EXPECT_EQ(eventOf(trace, "aten::conv2d").duration, 67'797);
  EXPECT_EQ(eventOf(trace, kKernel).duration, 50'250);
}

TEST(ChromePython, ThreadsAndStreamsAreTracks) {
  const auto trace = exported();
  EXPECT_EQ(trace.tracks.size(), 4U);
  EXPECT_EQ(trackOf(trace, "aten::conv2d").name, "thread 1");
  EXPECT_EQ(trackOf(trace, "aten::conv2d").device, -1);
  EXPECT_EQ(trackOf(trace, kNode).name, "thread 99 (pt_autograd_0)");
  EXPECT_EQ(trackOf(trace, kKernel).name, "stream 7");
  EXPECT_EQ(trackOf(trace, kKernel).device, 0);
  EXPECT_EQ(trackOf(trace, "second").device, 1);  // not the host's thread 1 of process 1
}

TEST(ChromePython, WhatOperatorsWereCalledWithIsKept) {
  const auto trace = exported();
  const auto* conv = trace.detailOf(eventOf(trace, "aten::conv2d"));
  ASSERT_NE(conv, nullptr);
  ASSERT_EQ(conv->inputs.size(), 2U);  // there is no bias
  EXPECT_EQ(conv->inputs[1].sizes, (std::vector<std::int64_t>{4, 1, 3, 3}));
  EXPECT_EQ(conv->inputs[1].dtype, "float");
  EXPECT_EQ(conv->scalars, (std::vector<std::string>{"[1, 1]", "[0, 0]", "[1, 1]", "1"}));
  const auto* stack = trace.detailOf(eventOf(trace, "aten::stack"));
  ASSERT_NE(stack, nullptr);
  ASSERT_EQ(stack->inputs.size(), 2U);
  EXPECT_EQ(stack->inputs[1].sizes, (std::vector<std::int64_t>{1, 28, 28}));
  EXPECT_EQ(stack->inputs[1].dtype, "");
  EXPECT_EQ(stack->scalars, (std::vector<std::string>{"0"}));
}

TEST(ChromePython, StagesStepsAndModulesAreFound) {
  const auto trace = exported();
  EXPECT_EQ(eventOf(trace, "aten::conv2d").stage, Stage::Forward);
  EXPECT_EQ(eventOf(trace, "aten::conv2d").step, 0);
  EXPECT_EQ(moduleOf(trace, "aten::conv2d"), "Net_0.Conv2d_0");
  EXPECT_EQ(eventOf(trace, kNode).stage, Stage::Backward);
  EXPECT_EQ(eventOf(trace, kNode).step, 0);
  EXPECT_EQ(moduleOf(trace, kNode), "Net_0.Conv2d_0");
  EXPECT_EQ(eventOf(trace, kKernel).stage, Stage::Forward);
  EXPECT_EQ(moduleOf(trace, kKernel), "Net_0.Conv2d_0");
  EXPECT_EQ(moduleOf(trace, "cudaMemcpyAsync"), "none");
}

TEST(ChromePython, MemoryIsReadWithItsDevice) {
  const auto trace = exported();
  ASSERT_EQ(trace.memory.size(), 1U);
  EXPECT_EQ(trace.memory[0].device, 0);
  EXPECT_EQ(trace.memory[0].bytes, 512);
  EXPECT_EQ(trace.memory[0].address, 140243894665216U);
  EXPECT_EQ(trace.memory[0].event, find(trace, "aten::conv2d"));
  EXPECT_EQ(trace.memory[0].category, Category::Activations);
}

TEST(ChromePython, NoDeviceTimeIsCountedTwice) {
  const auto trace = exported();
  const auto found = breakdownOf(trace, timesOf(trace), stepsSpan(trace));
  EXPECT_EQ(found.wall_ns, 900'000);
  EXPECT_EQ(found.device_busy_ns, 50'250 + 2'000);  // neither annotations nor waits on the stream are work
  EXPECT_EQ(found.copy_ns, 2'000);
  EXPECT_EQ(found.stage_ns[static_cast<std::size_t>(Stage::Backward)], 80'000);
}

TEST(ChromePython, CanBeWrittenAsOursAndReadAgain) {
  const auto trace = exported();
  const auto again = readChromeTraceText(chromeTraceText(trace));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(difference(trace, *again), "");
}

TEST(ChromePython, TracesOfOldAreReadToo) {
  const auto read = readChromeTraceText(R"({"traceEvents":[
    {"ph":"X","cat":"Operator","name":"aten::mm","pid":3,"tid":"3","ts":100,"dur":20,
     "args":{"Input Dims":[[2,3],[3,4],[]],"External id":1}},
    {"ph":"X","cat":"Runtime","name":"cudaDeviceSynchronize","pid":3,"tid":"3","ts":200,"dur":20,"args":{"correlation":5}},
    {"ph":"X","cat":"Kernel","name":"gemm","pid":0,"tid":"stream 7","ts":110,"dur":20,"args":{"correlation":4}}]})");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(eventOf(*read, "aten::mm").kind, Kind::Operator);
  EXPECT_EQ(read->detailOf(eventOf(*read, "aten::mm"))->inputs.size(), 2U);
  EXPECT_EQ(eventOf(*read, "cudaDeviceSynchronize").kind, Kind::Synchronize);
  EXPECT_EQ(eventOf(*read, "gemm").kind, Kind::Kernel);
  EXPECT_EQ(trackOf(*read, "gemm").name, "stream 7");
  EXPECT_EQ(trackOf(*read, "gemm").id, 7);
}

}  // namespace atelier::trace::testing
