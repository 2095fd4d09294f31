// lstm: token embedding (128), one LSTM (256), the mean of its states over the tokens, one linear layer. What comes before a
// padding does not depend on it, so paddings are left out by the mean alone.
#include "core/engine/module/layers.h"
#include "core/engine/module/recurrent_layers.h"
#include "core/engine/script/builder.h"
#include "sequence_model.h"

namespace atelier::engine {
namespace {

constexpr std::int64_t kWidth = 128, kHidden = 256;

class LstmClassifier final : public Module {
 public:
  explicit LstmClassifier(const InputShape& shape) : m_pad(shape.pad) {
    m_embedding = add("embedding", std::make_shared<Embedding>(shape.vocabulary, kWidth, shape.pad));
    m_lstm = add("lstm", std::make_shared<Lstm>(kWidth, kHidden));
    m_head = add("head", std::make_shared<Linear>(kHidden, shape.classes));
  }
  std::string kind() const override { return "LstmClassifier"; }

 private:
  // (N, T) ids → (N, classes).
  at::Tensor forward(at::Tensor ids) override {
    const auto mask = paddingMask(ids, m_pad);
    return (*m_head)(meanOverTokens((*m_lstm)((*m_embedding)(std::move(ids))), mask));
  }
  std::int64_t m_pad;
  std::shared_ptr<Embedding> m_embedding;
  std::shared_ptr<Lstm> m_lstm;
  std::shared_ptr<Linear> m_head;
};

std::shared_ptr<Module> build(const ModelRequest& request) {
  return std::make_shared<LstmClassifier>(request.input);
}

constexpr std::string_view kPython = R"py(
class LstmClassifier(nn.Module):
    """Classifies the mean of an LSTM's states over the tokens."""

    def __init__(self, vocabulary: int, classes: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, @width@, padding_idx=PAD)
        self.lstm = nn.LSTM(@width@, @hidden@, batch_first=True)
        self.head = nn.Linear(@hidden@, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mask = (x != PAD).unsqueeze(2)
        states, _ = self.lstm(self.embedding(x))
        return self.head((states * mask).sum(1) / mask.sum(1).clamp(min=1))


def build_model() -> nn.Module:
    return LstmClassifier(@vocabulary@, @classes@)
)py";

void script(const InputShape& shape, ScriptBuilder& script) {
  script.define(withValues(
      kPython, {{"width", kWidth}, {"hidden", kHidden}, {"vocabulary", shape.vocabulary}, {"classes", shape.classes}}));
}

}  // namespace

ModelUnit model_lstm() {
  return {"lstm", build, script, InputKind::Tokens};
}

}  // namespace atelier::engine
