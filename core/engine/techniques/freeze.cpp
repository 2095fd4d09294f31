// freeze: `backbone` trains the head alone: every other parameter stays as it is and gets no gradient. Autograd builds its
// graph from what asks for gradients, so the backbone then runs without one and keeps no activations; its dropout goes on, as
// in PyTorch.
#include <set>

#include "core/engine/module/layers.h"
#include "core/engine/script/builder.h"
#include "technique.h"

namespace atelier::engine {
namespace {

// The part named as heads are, or a last part that is a linear layer; null for a model without one.
std::shared_ptr<Module> headOf(const Module& model) {
  const auto& parts = model.parts();
  for (const auto& [name, part] : parts)
    if (name == "classifier" || name == "head" || name == "fc") return part;
  return !parts.empty() && dynamic_cast<Linear*>(parts.back().second.get()) ? parts.back().second : nullptr;
}

class FrozenBackbone final : public Technique {
 public:
  explicit FrozenBackbone(std::vector<wire::Message>& notices) : m_notices(notices) {}

  void prepareModel(Module& model) override {
    const auto head = headOf(model);
    std::set<const at::TensorImpl*> kept;
    if (head)
      for (const auto& parameter : head->parameters()) kept.insert(parameter.unsafeGetTensorImpl());
    auto parameters = model.parameters();
    if (!head || kept.size() == parameters.size()) {
      m_notices.push_back({"freeze.no_backbone"});
      return;
    }
    for (auto& parameter : parameters)
      if (!kept.contains(parameter.unsafeGetTensorImpl())) parameter.set_requires_grad(false);
  }

 private:
  std::vector<wire::Message>& m_notices;
};

std::unique_ptr<Technique> make(const TechniqueContext& context) {
  if (context.spec.text("freeze") != "backbone" || context.spec.text("mode") != "train") return nullptr;
  return std::make_unique<FrozenBackbone>(context.notices);
}

void script(ScriptBuilder& script) {
  if (!script.training() || script.text("freeze") != "backbone") return;
  const auto* model = findModelUnit(script.text("model"));
  if (model && model->task == Task::NextToken) {
    script.remark("freeze: this model's head is its embedding, so there is no backbone apart from it.");
    return;
  }
  script.add(Place::Model,
             "self.model.requires_grad_(False)\n"
             "list(self.model.children())[-1].requires_grad_(True)  # the head");
}

}  // namespace

TechniqueUnit technique_freeze() {
  return {"freeze", 16, {wire::choiceOption("freeze", {"none", "backbone"})}, make, script};
}

}  // namespace atelier::engine
