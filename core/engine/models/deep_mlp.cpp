// deep-mlp: pixels – width – width – … – classes, `depth` hidden layers. Without normalisation and shortcuts, as it is by
// default, hardly any gradient reaches its first layers; with shortcuts alone its activations grow from block to block, and
// SGD at an ordinary rate throws it out. It is there to be saved: by init, normalise, residual, clipping, a rising rate.
#include "core/engine/models/model.h"
#include "core/engine/module/layers.h"
#include "core/engine/module/sequence_layers.h"
#include "core/engine/script/builder.h"

namespace atelier::engine {
namespace {

// Over the batch, of (N, C); momentum 0.1, epsilon 1e-5, affine.
class BatchNorm1d final : public Module {
 public:
  explicit BatchNorm1d(std::int64_t features) {
    m_weight = register_parameter("weight", at::ones({features}));
    m_bias = register_parameter("bias", at::zeros({features}));
    m_mean = register_buffer("running_mean", at::zeros({features}));
    m_variance = register_buffer("running_var", at::ones({features}));
    m_batches = register_buffer("num_batches_tracked", at::zeros({}, at::kLong));
  }
  std::string kind() const override { return "BatchNorm1d"; }

 private:
  at::Tensor forward(at::Tensor input) override {
    // A batch that is recomputed was counted when it came first.
    const bool seen = is_training() && recomputing();
    if (is_training() && !seen) m_batches.add_(1);
    return at::batch_norm(input, m_weight, m_bias, seen ? at::Tensor() : m_mean, seen ? at::Tensor() : m_variance,
                          is_training(), 0.1, 1e-5, at::globalContext().userEnabledCuDNN());
  }
  at::Tensor m_weight, m_bias, m_mean, m_variance, m_batches;
};

class Tanh final : public Module {
 public:
  std::string kind() const override { return "Tanh"; }

 private:
  at::Tensor forward(at::Tensor input) override { return at::tanh(input); }
};

std::shared_ptr<Module> activation(const wire::RunSpec& spec) {
  if (spec.text("activation") == "tanh") return std::make_shared<Tanh>();
  return std::make_shared<ReLU>();
}

std::shared_ptr<Module> norm(const wire::RunSpec& spec, std::int64_t width) {
  const auto& kind = spec.text("normalise");
  if (kind == "batch") return std::make_shared<BatchNorm1d>(width);
  if (kind == "layer") return std::make_shared<LayerNorm>(width);
  return nullptr;
}

class Block final : public Module {
 public:
  Block(const wire::RunSpec& spec, std::int64_t width) : m_residual(spec.flag("residual")) {
    m_linear = add<Module>("linear", std::make_shared<Linear>(width, width));
    if (auto made = norm(spec, width)) m_norm = add<Module>("norm", made);
    m_activation = add<Module>("activation", activation(spec));
  }
  std::string kind() const override { return "Block"; }
  bool isBlock() const override { return true; }

 private:
  at::Tensor forward(at::Tensor input) override {
    auto hidden = (*m_linear)(input);
    if (m_norm) hidden = (*m_norm)(std::move(hidden));
    hidden = (*m_activation)(std::move(hidden));
    return m_residual ? input + hidden : hidden;
  }
  bool m_residual;
  std::shared_ptr<Module> m_linear, m_norm, m_activation;
};

std::shared_ptr<Module> build(const ModelRequest& request) {
  const auto& shape = request.input;
  const auto width = request.spec.integer("width");
  std::vector<std::shared_ptr<Module>> parts{std::make_shared<Flatten>(),
                                             std::make_shared<Linear>(shape.channels * shape.height * shape.width, width),
                                             activation(request.spec)};
  for (std::int64_t i = 1; i < request.spec.integer("depth"); ++i)
    parts.push_back(std::make_shared<Block>(request.spec, width));
  parts.push_back(std::make_shared<Linear>(width, shape.classes));
  return std::make_shared<Sequential>(parts);
}

constexpr std::string_view kPython = R"py(
class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(WIDTH, WIDTH)
        @blockNorm@
        self.activation = nn.@activationKind@()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return @shortcut@self.activation(@normalised@)


def build_model() -> nn.Module:
    return nn.Sequential(
        nn.Flatten(),
        nn.Linear(@pixels@, WIDTH),
        nn.@activationKind@(),
        *[Block() for _ in range(DEPTH - 1)],
        nn.Linear(WIDTH, @classes@),
    )
)py";

void script(const InputShape& shape, ScriptBuilder& script) {
  script.constant("DEPTH", std::to_string(script.integer("depth")), "hidden layers");
  script.constant("WIDTH", std::to_string(script.integer("width")));
  const auto& kind = script.text("normalise");
  if (kind != "none")
    script.fill("blockNorm", std::string("self.norm = nn.") + (kind == "batch" ? "BatchNorm1d" : "LayerNorm") + "(WIDTH)");
  script.word("normalised", kind == "none" ? "self.linear(x)" : "self.norm(self.linear(x))");
  script.word("activationKind", script.text("activation") == "tanh" ? "Tanh" : "ReLU");
  script.word("shortcut", script.flag("residual") ? "x + " : "");
  script.define(withValues(kPython, {{"pixels", shape.channels * shape.height * shape.width}, {"classes", shape.classes}}));
}

}  // namespace

ModelUnit model_deep_mlp() {
  std::vector<wire::Option> options{wire::integerOption("depth", 30, 1, 1000), wire::integerOption("width", 64, 1, 8192),
                                    wire::choiceOption("activation", {"relu", "tanh"}),
                                    wire::choiceOption("normalise", {"none", "batch", "layer"}),
                                    wire::booleanOption("residual", false)};
  for (auto& option : options) option.group = "model";
  ModelUnit unit{"deep-mlp", build, script, InputKind::Images, Task::Classify, options};
  unit.python_blocks = "[self.model[3:-1]]";
  return unit;
}

}  // namespace atelier::engine
