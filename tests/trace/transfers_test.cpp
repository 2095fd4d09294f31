#include <gtest/gtest.h>

#include "core/trace/tables.h"
#include "trace_builder.h"

namespace atelier::trace::testing {
namespace {

std::vector<Transfer> all(const Trace& trace) {
  return transfers(trace, {});
}

}  // namespace

TEST(Transfers, AnItemIsCountedOnceWithAllThatItCalls) {
  TraceBuilder b;
  const auto t = b.track("main"), stream = b.track("stream 7", 0);
  b.module(t, "loss", "Loss", 0, 200);
  b.op(t, "aten::item", 10, 100);
  b.op(t, "aten::_local_scalar_dense", 15, 90);
  b.runtime(t, "cudaMemcpyAsync", 20, 10, 4);
  b.synchronize(t, "cudaStreamSynchronize", 40, 60);
  b.copy(stream, "Memcpy DtoH (Device -> Pageable)", 50, 10, 4, 4);
  const auto trace = b.build();
  const auto found = all(trace);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "item");
  EXPECT_EQ(found[0].event, find(trace, "aten::item"));
  EXPECT_EQ(found[0].bytes, 4);
  EXPECT_EQ(found[0].duration, 100);
  EXPECT_EQ(trace.modules[static_cast<std::size_t>(found[0].module)].path, "loss");
}

TEST(Transfers, ACopyCountsWhenItCrossesDevices) {
  TraceBuilder b;
  const auto t = b.track("main"), stream = b.track("stream 7", 0);
  b.op(t, "aten::to", 0, 100);
  b.op(t, "aten::_to_copy", 5, 90);
  b.op(t, "aten::copy_", 10, 80);
  b.runtime(t, "cudaMemcpyAsync", 20, 10, 1);
  b.synchronize(t, "cudaStreamSynchronize", 40, 30);
  b.op(t, "aten::copy_", 200, 10);  // on the device
  b.runtime(t, "cudaMemcpyAsync", 202, 2, 2);
  b.op(t, "aten::copy_", 300, 10);  // on the host
  b.copy(stream, "Memcpy HtoD (Pageable -> Device)", 50, 10, 1, 4096);
  b.copy(stream, "Memcpy DtoD (Device -> Device)", 210, 10, 2, 64);
  const auto trace = b.build();
  const auto found = all(trace);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "copy");
  EXPECT_EQ(found[0].event, find(trace, "aten::to"));
  EXPECT_EQ(found[0].bytes, 4096);
}

TEST(Transfers, ACopyOfTheProgramsOwnIsOneToo) {
  TraceBuilder b;
  const auto t = b.track("main"), stream = b.track("stream 7", 0);
  b.runtime(t, "cudaMemcpyAsync", 20, 10, 1);
  b.copy(stream, "Memcpy DtoH (Device -> Pinned)", 50, 10, 1, 8);
  const auto trace = b.build();
  const auto found = all(trace);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].event, find(trace, "cudaMemcpyAsync"));
}

TEST(Transfers, WaitsAndPlacesOfNonZerosCount) {
  TraceBuilder b;
  const auto t = b.track("main"), other = b.track("other");
  b.op(t, "aten::nonzero", 100, 20);
  b.synchronize(t, "cudaDeviceSynchronize", 50, 10);
  b.op(t, "aten::mm", 200, 20);
  b.op(other, "aten::_local_scalar_dense", 10, 5);
  const auto trace = b.build();
  const auto found = all(trace);
  ASSERT_EQ(found.size(), 3U);  // in the order of time, whatever the thread
  EXPECT_EQ(found[0].kind, "item");
  EXPECT_EQ(found[1].kind, "synchronise");
  EXPECT_EQ(found[1].bytes, 0);
  EXPECT_EQ(found[2].kind, "nonzero");
}

TEST(Transfers, OnlyThoseThatBeginInTheSpanCount) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.op(t, "aten::item", 10, 5);
  b.op(t, "aten::item", 110, 5);
  const auto trace = b.build();
  EXPECT_EQ(transfers(trace, {100, 200}).size(), 1U);
  EXPECT_EQ(transfers(trace, {0, 10}).size(), 0U);
}

}  // namespace atelier::trace::testing
