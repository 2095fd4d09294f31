#include "sequence_model.h"

#include <algorithm>

namespace atelier::engine {
namespace {

// torch.nn.TransformerEncoderLayer with norm_first and no dropout.
class TransformerLayer final : public Module {
 public:
  explicit TransformerLayer(bool causal) {
    constexpr auto kWidth = SequenceModel::kWidth, kInner = SequenceModel::kInner;
    const AttentionOptions attention{.width = kWidth, .heads = SequenceModel::kHeads, .causal = causal};
    m_attention = add("self_attn", std::make_shared<MultiheadAttention>(attention));
    m_linear1 = add("linear1", std::make_shared<Linear>(kWidth, kInner));
    m_linear2 = add("linear2", std::make_shared<Linear>(kInner, kWidth));
    m_norm1 = add("norm1", std::make_shared<LayerNorm>(kWidth));
    m_norm2 = add("norm2", std::make_shared<LayerNorm>(kWidth));
    m_activation = add("activation", std::make_shared<Gelu>(GeluForm::Erf, true));
  }
  std::string kind() const override { return "TransformerEncoderLayer"; }
  bool isBlock() const override { return true; }

 private:
  at::Tensor forward(at::Tensor input) override { return forwardMasked(std::move(input), {}); }
  at::Tensor forwardMasked(at::Tensor input, const at::Tensor& mask) override {
    const auto seen = addShortcut((*m_attention)((*m_norm1)(input), mask), input);
    return addShortcut((*m_linear2)((*m_activation)((*m_linear1)((*m_norm2)(seen)))), seen);
  }
  std::shared_ptr<MultiheadAttention> m_attention;
  std::shared_ptr<Linear> m_linear1, m_linear2;
  std::shared_ptr<LayerNorm> m_norm1, m_norm2;
  std::shared_ptr<Gelu> m_activation;
};

// "Attention is all you need", 3.5: sines in the even columns, cosines in the odd ones.
at::Tensor sinusoids(std::int64_t length, std::int64_t width) {
  const auto exact = at::TensorOptions().dtype(at::kDouble);
  const auto rates = at::pow(10000.0, at::arange(0, width, 2, exact).neg().div(static_cast<double>(width)));
  const auto angles = at::arange(length, exact).unsqueeze(1).mul(rates);
  return at::stack({angles.sin(), angles.cos()}, 2).flatten(1).to(at::kFloat);
}

void requireTokens(const at::Tensor& ids) {
  TORCH_CHECK_VALUE(ids.dim() == 2 && ids.size(1) > 0, "token ids must be of (sequences, tokens), not of ", ids.sizes());
}

}  // namespace

at::Tensor paddingMask(const at::Tensor& ids, std::int64_t pad) {
  requireTokens(ids);
  if (!ids.is_cpu()) return ids.ne(pad);
  const auto flat = ids.contiguous();
  const auto* begin = flat.const_data_ptr<std::int64_t>();
  const auto* end = begin + flat.numel();
  return std::find(begin, end, pad) == end ? at::Tensor() : ids.ne(pad);
}

at::Tensor meanOverTokens(const at::Tensor& hidden, const at::Tensor& mask) {
  if (!mask.defined()) return hidden.mean(1);
  const auto weight = mask.unsqueeze(2).to(hidden.scalar_type());
  return hidden.mul(weight).sum(1).div(weight.sum(1).clamp_min(1));
}

SequenceModel::SequenceModel(const SequenceOptions& options) {
  TORCH_CHECK_VALUE(options.length > 0, "a model of sequences of ", options.length, " tokens");
  m_embedding = add("embedding", std::make_shared<Embedding>(options.vocabulary, kWidth, options.pad));
  m_positions = register_buffer("positions", sinusoids(options.length, kWidth));
  m_layers = add("layers", std::make_shared<ModuleList>());
  for (std::int64_t i = 0; i < kLayers; ++i) m_layers->append(std::make_shared<TransformerLayer>(options.causal));
  m_norm = add("norm", std::make_shared<LayerNorm>(kWidth));
}

at::Tensor SequenceModel::encode(const at::Tensor& ids, const at::Tensor& mask, double scale) {
  requireTokens(ids);
  const auto tokens = ids.size(1), most = m_positions.size(0);
  TORCH_CHECK_VALUE(tokens <= most, "a sequence of ", tokens, " tokens is longer than the ", most, " that the model takes");
  auto hidden = (*m_embedding)(ids);
  if (scale != 1) hidden = hidden.mul(scale);
  hidden = addShortcut(std::move(hidden), m_positions.slice(0, 0, tokens));
  return (*m_norm)((*m_layers)(std::move(hidden), mask));
}

const std::string_view kSequencePython = R"py(
def sinusoids(length: int, width: int) -> torch.Tensor:
    """Positions: sines in the even columns, cosines in the odd ones."""
    rates = 10_000 ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    angles = torch.arange(length, dtype=torch.float64).unsqueeze(1) * rates
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1).float()


def layers() -> nn.ModuleList:
    """Layers that are drawn one by one: nn.TransformerEncoder would copy the first."""
    return nn.ModuleList(
        nn.TransformerEncoderLayer(128, 4, 512, dropout=0.0, activation="gelu",
                                   batch_first=True, norm_first=True)
        for _ in range(4)
    )
)py";

}  // namespace atelier::engine
