// The faults around the model: slow-loader, memory-leak, busy-machine.
#include "faults.h"

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

#include "burners.h"
#include "core/engine/monitor/process.h"

namespace atelier::engine {
namespace {

// slow-loader: each sample is waited for as for a disk or a network that is far; no core works meanwhile, so that workers can
// hide it.
class SlowLoader final : public Technique {
 public:
  void whileLoading(std::int64_t samples) override { std::this_thread::sleep_for(samples * std::chrono::microseconds(800)); }
};

// memory-leak: a list that is never emptied gets the model's output, and 4 MiB more, at each step.
class MemoryLeak final : public Technique {
 public:
  explicit MemoryLeak(const Say& say) : m_say(say) {}

  void afterForward(const at::Tensor& output, StepState& /*state*/) override {
    const at::NoGradGuard noGrad;
    if (m_bytes >= m_most) return;
    keep(output.detach().clone());
    keep(at::ones({(4 << 20) / 4}, output.options().dtype(at::kFloat)));
    if (m_bytes >= m_most && m_say)
      m_say(wire::Noticed{{"inject.leak_full", {{"mebibytes", std::to_string(m_bytes >> 20)}}}, "info"});
  }

 private:
  void keep(at::Tensor tensor) {
    m_bytes += static_cast<std::int64_t>(tensor.nbytes());
    m_kept.push_back(std::move(tensor));
  }
  // A fault to learn from must not bring down the machine.
  static std::int64_t eighthOfMemory() {
    return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE) / 8;
  }

  const Say& m_say;
  const std::int64_t m_most = eighthOfMemory();
  std::int64_t m_bytes = 0;
  std::vector<at::Tensor> m_kept;
};

// busy-machine: a program on each core that does nothing, as fast as it can.
class BusyMachine final : public Technique {
 public:
  void beforeStep(StepState& /*state*/) override {
    if (!m_burners) m_burners.emplace(availableCores());
  }

 private:
  std::optional<Burners> m_burners;
};

}  // namespace

std::unique_ptr<Technique> makeFault(const std::string& id, const TechniqueContext& context) {
  if (id == "slow-loader") return std::make_unique<SlowLoader>();
  if (id == "memory-leak") return std::make_unique<MemoryLeak>(context.say);
  if (id == "busy-machine") return std::make_unique<BusyMachine>();
  return makeModelFault(id, context);
}

}  // namespace atelier::engine
