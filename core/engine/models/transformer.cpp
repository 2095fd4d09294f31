// transformer: a small encoder that tells the class of a token sequence: the stem of sequence_model.h, the mean over the tokens
// and a linear head.
#include "core/engine/script/builder.h"
#include "sequence_model.h"

namespace atelier::engine {
namespace {

class Transformer final : public SequenceModel {
 public:
  explicit Transformer(const InputShape& shape)
      : SequenceModel(SequenceOptions{.vocabulary = shape.vocabulary, .length = shape.length, .pad = shape.pad}),
        m_pad(shape.pad) {
    m_head = add("head", std::make_shared<Linear>(kWidth, shape.classes));
  }
  std::string kind() const override { return "TransformerClassifier"; }

 private:
  at::Tensor forward(at::Tensor ids) override {
    const auto mask = paddingMask(ids, m_pad);
    return (*m_head)(meanOverTokens(encode(ids, mask, 1), mask));
  }
  std::int64_t m_pad;
  std::shared_ptr<Linear> m_head;
};

std::shared_ptr<Module> build(const ModelRequest& request) {
  return std::make_shared<Transformer>(request.input);
}

constexpr std::string_view kPython = R"py(
class TransformerClassifier(nn.Module):
    """Encoder layers, the mean over the tokens, and a linear head."""

    def __init__(self, vocabulary: int, length: int, classes: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, 128, padding_idx=PAD)
        self.register_buffer("positions", sinusoids(length, 128), persistent=False)
        self.layers = layers()
        self.norm = nn.LayerNorm(128)
        self.head = nn.Linear(128, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mask = x != PAD
        hidden = self.embedding(x) + self.positions[:x.shape[1]]
        for layer in self.layers:
            hidden = layer(hidden, src_key_padding_mask=~mask)
        weight = mask.unsqueeze(2).to(hidden.dtype)
        mean = (self.norm(hidden) * weight).sum(1) / weight.sum(1).clamp(min=1)
        return self.head(mean)


def build_model() -> nn.Module:
    return TransformerClassifier(@vocabulary@, @length@, @classes@)
)py";

void script(const InputShape& shape, ScriptBuilder& script) {
  script.define(kSequencePython);
  script.define(withValues(kPython, {{"vocabulary", shape.vocabulary}, {"length", shape.length}, {"classes", shape.classes}}));
}

}  // namespace

ModelUnit model_transformer() {
  ModelUnit unit{"transformer", build, script, InputKind::Tokens};
  unit.python_blocks = "[self.model.layers]";
  return unit;
}

}  // namespace atelier::engine
