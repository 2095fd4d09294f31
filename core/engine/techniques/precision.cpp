// precision: the number format of matmuls and convolutions. bf16 is LibTorch's autocast (weights, loss and norms stay
// float32). tf32 is a switch of tensor-core GPUs that the
// trainer sets for the whole step.
#include <ATen/Context.h>
#include <ATen/autocast_mode.h>

#include "core/engine/script/builder.h"
#include "technique.h"

namespace atelier::engine {
namespace {

class Bfloat16 final : public Technique {
 public:
  explicit Bfloat16(at::Device device) : m_device(device.type()) {}

  void enterForward(bool training) override {
    m_enabled = at::autocast::is_autocast_enabled(m_device);
    m_cache = at::autocast::is_autocast_cache_enabled();
    at::autocast::set_autocast_enabled(m_device, true);
    at::autocast::set_autocast_dtype(m_device, at::kBFloat16);
    // A cast made without gradients must never be found again by a training step.
    at::autocast::set_autocast_cache_enabled(training && at::GradMode::is_enabled());
    at::autocast::increment_nesting();
  }
  void leaveForward() override {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(m_device, m_enabled);
    at::autocast::set_autocast_cache_enabled(m_cache);
  }

 private:
  at::DeviceType m_device;
  bool m_enabled = false, m_cache = true;
};

std::unique_ptr<Technique> make(const TechniqueContext& context) {
  const auto& precision = context.spec.text("precision");
  if (precision == "bf16") return std::make_unique<Bfloat16>(context.device);
  if (precision == "tf32" && context.device.is_cpu()) context.notices.push_back({"precision.tf32_needs_gpu"});
  return nullptr;
}

void script(ScriptBuilder& script) {
  const auto& precision = script.text("precision");
  const bool tf32 = precision == "tf32";
  if (precision == "bf16") script.around("with torch.autocast(" + script.deviceType() + ", dtype=torch.bfloat16):");
  if (script.device() == ScriptDevice::Cpu) {
    if (tf32) script.remark("precision: tf32 is a format of GPUs with tensor cores; on a CPU this run is in fp32.");
    return;
  }
  if (tf32) script.add(Place::Settings, "torch.backends.cuda.matmul.fp32_precision = \"tf32\"");
  script.add(Place::Settings, tf32 ? "torch.backends.cudnn.conv.fp32_precision = \"tf32\""
                                   : "torch.backends.cudnn.conv.fp32_precision = \"ieee\"  # by default it is tf32");
}

}  // namespace

TechniqueUnit technique_precision() {
  auto option = wire::choiceOption("precision", {"fp32", "tf32", "bf16"});
  option.common = true;
  return {"precision", 10, {option}, make, script};
}

}  // namespace atelier::engine
