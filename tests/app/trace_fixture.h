// A small trace for the tests of what shows traces: two steps on a main thread with modules, operators, launches and autograd's
// nodes; a loader's thread; a stream of a device; memory.
#pragma once

#include <memory>

#include "app/models/trace_document.h"
#include "tests/trace/trace_builder.h"

namespace atelier::app::testing {

inline constexpr std::int64_t kStepNs = 1'000'000, kTraceNs = 1'900'000;

inline trace::Trace smallTrace() {
  trace::testing::TraceBuilder builder;
  const auto main = builder.track("main thread");
  const auto loader = builder.track("loader worker 0");
  const auto stream = builder.track("stream 7", 0);
  for (int step = 0; step < 2; ++step) {
    const std::int64_t begin = step * kStepNs;
    builder.step(main, begin, 900'000);
    builder.stage(main, trace::Stage::Data, begin, 50'000);
    builder.stage(main, trace::Stage::Forward, begin + 100'000, 300'000);
    builder.module(main, "features.0", "Conv2d", begin + 110'000, 200'000);
    builder.op(main, "aten::conv2d", begin + 120'000, 150'000, {{128, 1, 28, 28}, {32, 1, 3, 3}});
    builder.last().sequence = begin + 7;
    builder.runtime(main, "cudaLaunchKernel", begin + 130'000, 10'000, begin + 1);
    builder.kernel(stream, "at::native::kernel<4>", begin + 180'000, 90'000, begin + 1);
    builder.op(main, "aten::relu", begin + 320'000, 50'000);
    builder.stage(main, trace::Stage::Backward, begin + 400'000, 300'000);
    builder.node(main, "ConvolutionBackward0", begin + 420'000, 200'000, begin + 7);
    builder.stage(main, trace::Stage::Optimizer, begin + 700'000, 100'000);
    builder.loader(loader, begin + 10'000, 800'000);
    builder.memory(main, begin + 150'000, 4 << 20, 0x1000, trace::Category::Activations, 0);
    builder.memory(main, begin + 650'000, -(4 << 20), 0x1000, trace::Category::Activations, 0);
  }
  return builder.build();
}

inline TraceDocument::ContentPtr smallContent() {
  return TraceDocument::contentOf(smallTrace());
}

}  // namespace atelier::app::testing
