#include "peaks.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

#include <unistd.h>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "core/engine/monitor/gpu.h"
#include "core/engine/monitor/machine.h"
#include "core/engine/monitor/process.h"
#include "core/engine/session/environment.h"

namespace atelier::engine {
namespace {

constexpr int kHostSize = 1024, kDeviceSize = 4096;
constexpr double kShortMatmul = 2e-3;   // seconds; a device that needs less is not filled, and gets twice the size
constexpr double kLongestMatmul = 0.1;  // seconds; a machine that needs more is measured with a smaller one
constexpr double kLongest = 0.5;        // seconds for one peak
constexpr int kFewest = 3, kMost = 15;
constexpr std::int64_t kCopied = std::int64_t{256} << 20;  // bytes: beyond any cache
constexpr std::int64_t kLeastCopied = std::int64_t{16} << 20;

double secondsOf(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Times of repeats after a first one that warms up, until they took long enough. A peak is the fastest of them: what slows one
// down comes from outside.
std::vector<double> timed(const std::function<void()>& work) {
  work();
  std::vector<double> seconds;
  double total = 0;
  for (int i = 0; i < kMost && (i < kFewest || total < kLongest); ++i) {
    seconds.push_back(secondsOf(work));
    total += seconds.back();
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

// bfloat16 without units for it can be a hundred times slower than float32.
double hostMatmulRate(bool bfloat16) {
  int size = kHostSize / 4;
  auto rate = measureMatmul(bfloat16, size).best * 1e9;
  for (; size < kHostSize; size *= 2) {
    const double edge = 2.0 * size;
    if (2 * edge * edge * edge / rate > kLongestMatmul) break;
    rate = std::max(rate, measureMatmul(bfloat16, 2 * size).best * 1e9);
  }
  return rate;
}

struct Free {
  void operator()(float* memory) const { std::free(memory); }
};

// Memory of no tensor account: a run's budget and peak know nothing of it.
double hostBandwidth() {
  const auto unused = static_cast<std::int64_t>(sysconf(_SC_AVPHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  const auto bytes = std::clamp(unused / 8, kLeastCopied, kCopied) / 64 * 64;
  const auto make = [bytes] {
    return std::unique_ptr<float, Free>(static_cast<float*>(std::aligned_alloc(64, static_cast<std::size_t>(bytes))));
  };
  const auto from = make(), to = make();
  if (!from || !to) return 0;
  const auto source = at::from_blob(from.get(), {bytes / 4}, at::kFloat).fill_(1);
  const auto target = at::from_blob(to.get(), {bytes / 4}, at::kFloat);
  const auto best = timed([&] { target.copy_(source); }).front();
  return 2.0 * static_cast<double>(bytes) / best;
}

void measureHost(trace::Peaks& peaks) {
  peaks.name = environment().value("cpu", "");
  peaks.cores = availableCores();
  peaks.fp32_flops = hostMatmulRate(false);
  peaks.bf16_flops = hostMatmulRate(true);
  peaks.bytes_per_second = hostBandwidth();
}

// Each time is one of several calls in a row, so that the launches don't count.
double onDevice(c10::Device device, const std::function<void()>& work) {
  constexpr int kCalls = 8;
  const c10::impl::VirtualGuardImpl guard(device.type());
  const auto seconds = timed([&] {
    for (int i = 0; i < kCalls; ++i) work();
    guard.synchronizeDevice(device.index());
  });
  return seconds[seconds.size() / 2] / kCalls;
}

double deviceMatmulRate(c10::Device device, at::ScalarType type) {
  const auto secondsAt = [&](std::int64_t size) {
    const auto a = at::ones({size, size}, at::TensorOptions().dtype(type).device(device)), b = at::ones_like(a);
    auto out = at::empty_like(a);
    return onDevice(device, [&] { at::mm_out(out, a, b); });
  };
  std::int64_t size = kDeviceSize;
  auto seconds = secondsAt(size);
  if (seconds < kShortMatmul) seconds = secondsAt(size *= 2);
  const auto edge = static_cast<double>(size);
  return 2.0 * edge * edge * edge / seconds;
}

void measureDevice(c10::Device device, trace::Peaks& peaks) {
  for (const auto& gpu : gpuStatus().gpus)
    if (gpu.index == device.index()) peaks.name = gpu.name;
  peaks.cores = availableCores();
  peaks.fp32_flops = deviceMatmulRate(device, at::kFloat);
  peaks.bf16_flops = deviceMatmulRate(device, at::kBFloat16);
  const auto free = static_cast<std::int64_t>(c10::getDeviceAllocator(device.type())->getMemoryInfo(device.index()).first);
  const auto bytes = std::clamp(free / 8, kLeastCopied, 4 * kCopied);
  const auto source = at::ones({bytes / 4}, at::TensorOptions().dtype(at::kFloat).device(device));
  const auto target = at::empty_like(source);
  peaks.bytes_per_second = 2.0 * static_cast<double>(bytes) / onDevice(device, [&] { target.copy_(source); });
}

}  // namespace

trace::Peaks measurePeaks(c10::Device device, int threads) {
  const at::NoGradGuard noGrad;
  const int before = at::get_num_threads();
  if (threads > 0 && threads != before) at::set_num_threads(threads);
  trace::Peaks peaks;
  if (device.is_cpu()) measureHost(peaks);
  else measureDevice(c10::Device(device.type(), std::max<c10::DeviceIndex>(device.index(), 0)), peaks);
  if (at::get_num_threads() != before) at::set_num_threads(before);
  return peaks;
}

}  // namespace atelier::engine
