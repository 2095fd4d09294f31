// inject: faults that a run makes on purpose; wire/faults.h lists them, profile/faults.h makes them. A run with faults says so,
// and its spec keeps the key, so that nobody takes its figures for those of a sound run.
#include <algorithm>
#include <utility>

#include "core/engine/profile/faults.h"
#include "core/engine/script/builder.h"
#include "core/engine/session/plan.h"
#include "core/wire/faults.h"
#include "technique.h"

namespace atelier::engine {
namespace {

// REQUIRES for other than {}: validated.
std::vector<std::string> faultsOf(const std::string& text) {
  const auto faults = wire::parseFaults(text);
  return faults.ok() ? *faults : std::vector<std::string>{};
}

bool has(const std::vector<std::string>& faults, const std::string& id) {
  return std::find(faults.begin(), faults.end(), id) != faults.end();
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const auto& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

class Inject final : public Technique {
 public:
  explicit Inject(std::vector<std::unique_ptr<Technique>> faults) : m_faults(std::move(faults)) {}

  void prepareModel(Module& model) override {
    for (const auto& fault : m_faults) fault->prepareModel(model);
  }
  void beforeStep(StepState& state) override {
    for (const auto& fault : m_faults) fault->beforeStep(state);
  }
  void whileLoading(std::int64_t samples) override {
    for (const auto& fault : m_faults) fault->whileLoading(samples);
  }
  void afterForward(const at::Tensor& output, StepState& state) override {
    for (const auto& fault : m_faults) fault->afterForward(output, state);
  }

 private:
  const std::vector<std::unique_ptr<Technique>> m_faults;
};

std::unique_ptr<Technique> make(const TechniqueContext& context) {
  const auto ids = faultsOf(context.spec.text("inject"));
  if (ids.empty()) return nullptr;
  std::vector<std::unique_ptr<Technique>> faults;
  for (const auto& id : ids)
    if (auto fault = makeFault(id, context)) faults.push_back(std::move(fault));
  if (context.say) context.say(wire::Noticed{{"inject.active", {{"faults", joined(ids)}}}, "warning"});
  return std::make_unique<Inject>(std::move(faults));
}

// Before anything is made for a batch of another size. The plan's spec says the batch that there is.
void shrinkBatch(Plan& plan) {
  if (!has(faultsOf(plan.spec.text("inject")), "tiny-batches")) return;
  plan.batch = std::min(plan.batch, kTinyBatch);
  plan.spec.set("batch", plan.batch);
  plan.notices.push_back({"inject.tiny_batches", {{"batch", std::to_string(plan.batch)}}});
}

wire::Status validateFaults(const wire::RunSpec& spec) {
  const auto faults = wire::parseFaults(spec.text("inject"));
  if (!faults.ok()) return faults.error();
  return wire::success();
}

constexpr std::string_view kMiddle = R"py(
def middle_of(model: nn.Module) -> nn.Module:
    """The middle one of the modules that have parameters of their own."""
    owners = [module for module in model.modules() if list(module.parameters(recurse=False))]
    return owners[(len(owners) - 1) // 2]
)py";

constexpr std::string_view kItem = R"py(
def read_values(module: nn.Module, inputs: Any, output: torch.Tensor) -> None:
    """The fault item: each of these reads waits for the device."""
    for _ in range(20):
        output.flatten()[0].item()
)py";

constexpr std::string_view kNan = R"py(
def divide_by_zero(output: torch.Tensor) -> torch.Tensor:
    """The fault nan: 0 / 0 is added to the first value."""
    divisor = torch.ones(output.numel(), dtype=output.dtype, device=output.device)
    divisor[0] = 0
    return output + (torch.zeros_like(divisor) / divisor).view_as(output)
)py";

void script(ScriptBuilder& script) {
  auto faults = faultsOf(script.text("inject"));
  if (faults.empty()) return;
  if (has(faults, "item") || has(faults, "nan")) script.define(kMiddle);
  if (has(faults, "item")) {
    script.define(kItem);
    script.add(Place::Model, "middle_of(self.model).register_forward_hook(read_values)");
  }
  if (has(faults, "nan")) {
    script.define(kNan);
    script.add(Place::Model,
               "middle_of(self.model).register_forward_hook(\n"
               "    lambda module, inputs, output: divide_by_zero(output) if self.steps >= 3 else None)");
  }
  std::erase_if(faults, [](const std::string& id) { return id == "item" || id == "nan"; });
  if (!faults.empty()) script.remark("inject: faults of the native engine that this script doesn't make:\n" + joined(faults));
}

}  // namespace

TechniqueUnit technique_inject() {
  auto option = wire::textOption("inject", "none");
  option.group = "measurement";
  return {"inject", 7, {option}, make, script, shrinkBatch, validateFaults};
}

}  // namespace atelier::engine
