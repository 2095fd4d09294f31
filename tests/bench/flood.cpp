// What an event costs the window: decoding the lines of 8 ranks that each say 1,000 things a second. Run by hand, from the
// repository's root; no Torch, no Qt (through the engine's pipe and the window's curves: tests/app/flood_test.cpp tells that):
//   g++ -std=c++20 -O2 -I. tests/bench/flood.cpp core/wire/*.cpp CATALOG.cpp -o /tmp/flood
// where CATALOG.cpp is build/release/core/catalog_files.cpp or any other definition of atelier::wire::catalogFiles().
// Usage: flood [EVENTS, default 480000].
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/wire/run_event.h"

namespace {

using namespace atelier;
using Clock = std::chrono::steady_clock;

constexpr int kRepeats = 7, kRanks = 8;

wire::EventBody bodyOf(std::int64_t number) {
  if (number % 8'000 == 7'999) {
    wire::BlockDone block;
    block.block = number / 8'000;
    block.steps = block.samples = 1'000;
    block.seconds = 1;
    block.samples_per_second = 1'000.5;
    block.stages = {1, 2, 3, 4, 5, 15};
    block.loss = 0.5;
    return block;
  }
  if (number % 80 == 39) return wire::MemorySampled{{15, 1, 2, 3, 4, 5}, {30, 2, 4, 6, 8, 10}, 0};
  if (number % 80 == 79) return wire::SystemSampled{98.5, 1.5, 0.25, 312'345'678};
  return wire::Progress{number, 4'800'000, true, 912.0625, 1.0 / static_cast<double>(number + 1), 1e-3};
}

std::vector<std::string> linesOf(std::int64_t count) {
  std::vector<std::string> lines;
  for (std::int64_t i = 0; i < count; ++i)
    lines.push_back(wire::encodeEvent({static_cast<int>(i % kRanks), i / kRanks * 1'000'000, "", bodyOf(i)}));
  return lines;
}

// Seconds for all lines; the process ends when one is not understood.
double decodeAll(const std::vector<std::string>& lines) {
  const auto begin = Clock::now();
  std::int64_t last = -1;
  for (const auto& line : lines) {
    const auto event = wire::decodeEvent(line);
    if (!event || event->t < last) std::exit(2);
    last = event->t;
  }
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t count = argc > 1 ? std::max(1LL, std::atoll(argv[1])) : 480'000;
  const auto lines = linesOf(count);
  std::size_t bytes = 0;
  for (const auto& line : lines) bytes += line.size();
  std::vector<double> times;
  for (int i = 0; i < kRepeats; ++i) times.push_back(decodeAll(lines));
  std::sort(times.begin(), times.end());
  const auto micro = [count](double seconds) { return seconds * 1e6 / static_cast<double>(count); };
  const double median = times[kRepeats / 2];
  std::printf("%lld events of %.0f bytes\n", static_cast<long long>(count),
              static_cast<double>(bytes) / static_cast<double>(count));
  std::printf(
      "%.0f events/s decoded, %.2f µs an event [%.2f, %.2f] over %d repeats; 8 ranks × 1,000 events/s take %.1f %% of a core\n",
      static_cast<double>(count) / median, micro(median), micro(times.front()), micro(times.back()), kRepeats,
      8'000 * median / static_cast<double>(count) * 100);
  return 0;
}
