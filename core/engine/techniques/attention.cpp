// attention: how scaled dot-product attention is computed: one fused kernel, or matmul, softmax and matmul with the scores in
// memory. `auto` takes the kernel where LibTorch has one for the case, which on a CPU is: without dropout.
#include <algorithm>

#include "core/engine/module/sequence_layers.h"
#include "core/engine/script/builder.h"
#include "core/wire/number.h"
#include "technique.h"

namespace atelier::engine {
namespace {

class ChosenAttention final : public Technique {
 public:
  ChosenAttention(AttentionKind kind, at::Device device, std::vector<wire::Message>& notices)
      : m_kind(kind), m_device(device), m_notices(notices) {}

  void prepareModel(Module& model) override {
    double dropout = 0;
    bool any = false;
    for (const auto& module : model.modules(false)) {
      auto* attention = dynamic_cast<Attention*>(module.get());
      if (!attention) continue;
      any = true;
      attention->setAttention(m_kind);
      dropout = std::max(dropout, attention->dropout());
    }
    if (!any) m_notices.push_back({"attention.none"});
    if (m_kind == AttentionKind::Fused && m_device.is_cpu() && model.is_training() && dropout > 0)
      m_notices.push_back({"attention.not_fused", {{"dropout", wire::numberText(dropout)}}});
  }

 private:
  AttentionKind m_kind;
  at::Device m_device;
  std::vector<wire::Message>& m_notices;
};

std::unique_ptr<Technique> make(const TechniqueContext& context) {
  const auto& asked = context.spec.text("attention");
  if (asked == "auto") return nullptr;
  const auto kind = asked == "math" ? AttentionKind::Math : AttentionKind::Fused;
  return std::make_unique<ChosenAttention>(kind, context.device, context.notices);
}

void script(ScriptBuilder& script) {
  const auto& asked = script.text("attention");
  if (asked == "auto") return;
  const auto* model = findModelUnit(script.text("model"));
  if (!model || model->input != InputKind::Tokens) {
    script.remark("attention: this model has none.");
  } else if (asked == "math") {
    script.require("from torch.nn.attention import SDPBackend, sdpa_kernel");
    script.around("with sdpa_kernel(SDPBackend.MATH):");
  } else {
    script.remark("attention: PyTorch takes a fused kernel by itself where it has one for the case.");
  }
}

}  // namespace

TechniqueUnit technique_attention() {
  auto option = wire::choiceOption("attention", {"auto", "math", "fused"});
  option.group = "model";
  return {"attention", 15, {option}, make, script};
}

}  // namespace atelier::engine
