// decoder: a small language model: the stem of sequence_model.h with causal attention; each position foretells the next token.
// The head's weight is the embedding's (Vaswani et al. 2017, 3.4): drawn with deviation 1 ÷ √128, so that no logit is large at
// the start, and scaled by √128 on its way in, so that tokens and positions are of one size.
#include <cmath>

#include "core/engine/script/builder.h"
#include "sequence_model.h"

namespace atelier::engine {
namespace {

class Decoder final : public SequenceModel {
 public:
  explicit Decoder(const InputShape& shape)
      : SequenceModel(
            SequenceOptions{.vocabulary = shape.vocabulary, .length = shape.length, .pad = shape.pad, .causal = true}) {
    const at::NoGradGuard noGrad;
    embedding()->weight().normal_(0.0, 1 / kScale);
  }
  std::string kind() const override { return "Decoder"; }

 private:
  // Paddings come last: no token sees them, so there is no mask.
  at::Tensor forward(at::Tensor ids) override { return at::linear(encode(ids, {}, kScale), embedding()->weight()); }
  inline static const double kScale = std::sqrt(static_cast<double>(kWidth));
};

std::shared_ptr<Module> build(const ModelRequest& request) {
  return std::make_shared<Decoder>(request.input);
}

constexpr std::string_view kPython = R"py(
class Decoder(nn.Module):
    """Causal layers; the head's weight is the embedding's."""

    def __init__(self, vocabulary: int, length: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, 128, padding_idx=PAD)
        self.register_buffer("positions", sinusoids(length, 128), persistent=False)
        self.layers = layers()
        self.norm = nn.LayerNorm(128)
        nn.init.normal_(self.embedding.weight, std=1 / math.sqrt(128))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        length = x.shape[1]
        future = nn.Transformer.generate_square_subsequent_mask(length, device=x.device)
        hidden = self.embedding(x) * math.sqrt(128) + self.positions[:length]
        for layer in self.layers:
            hidden = layer(hidden, src_mask=future, is_causal=True)
        return F.linear(self.norm(hidden), self.embedding.weight)


def build_model() -> nn.Module:
    return Decoder(@vocabulary@, @length@)
)py";

void script(const InputShape& shape, ScriptBuilder& script) {
  script.require("import torch.nn.functional as F");
  script.define(kSequencePython);
  script.define(withValues(kPython, {{"vocabulary", shape.vocabulary}, {"length", shape.length}}));
}

}  // namespace

ModelUnit model_decoder() {
  ModelUnit unit{"decoder", build, script, InputKind::Tokens, Task::NextToken};
  unit.python_blocks = "[self.model.layers]";
  return unit;
}

}  // namespace atelier::engine
