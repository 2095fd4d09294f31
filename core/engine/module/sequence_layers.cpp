#include "sequence_layers.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "core/engine/monitor/tensor_memory.h"
#include "recompute.h"

namespace atelier::engine {
namespace {

// Autograd will come back through what is made of this tensor.
bool wantsGraph(const at::Tensor& tensor) {
  return at::GradMode::is_enabled() && tensor.requires_grad();
}

}  // namespace

Embedding::Embedding(std::int64_t vocabulary, std::int64_t width, std::int64_t padding, Init init) : m_padding(padding) {
  TORCH_CHECK_VALUE(padding < vocabulary, "an embedding of ", vocabulary, " rows has no row ", padding, " for paddings");
  m_weight = register_parameter("weight", blank({vocabulary, width}, init));
  if (init != Init::Draw) return;
  const at::NoGradGuard noGrad;
  m_weight.normal_(0.0, 1.0);
  if (padding >= 0) m_weight.select(0, padding).zero_();
}

at::Tensor Embedding::forward(at::Tensor ids) {
  return at::embedding(m_weight, ids, m_padding);
}

LayerNorm::LayerNorm(std::int64_t width, double epsilon, Init init) : m_width(width), m_epsilon(epsilon) {
  const bool draw = init == Init::Draw;
  m_weight = register_parameter("weight", draw ? at::ones({width}) : blank({width}, init));
  m_bias = register_parameter("bias", draw ? at::zeros({width}) : blank({width}, init));
}

at::Tensor LayerNorm::forward(at::Tensor input) {
  return at::layer_norm(input, {m_width}, m_weight, m_bias, m_epsilon, at::globalContext().userEnabledCuDNN());
}

at::Tensor Dropout::forward(at::Tensor input) {
  return at::dropout(input, m_share, is_training());
}

at::Tensor Gelu::forward(at::Tensor input) {
  const char* form = m_form == GeluForm::Tanh ? "tanh" : "none";
  if (m_reuse && !wantsGraph(input)) return at::gelu_(input, form);
  return at::gelu(input, form);
}

at::Tensor addShortcut(at::Tensor branch, const at::Tensor& shortcut) {
  // Under autocast the two may differ in type: their sum has the wider one, as PyTorch's `branch + shortcut`.
  const bool differ = branch.scalar_type() != shortcut.scalar_type();
  if (differ || wantsGraph(branch) || wantsGraph(shortcut)) return branch.add(shortcut);
  return branch.add_(shortcut);
}

Attention::Attention(const AttentionOptions& options) : m_options(options) {
  TORCH_CHECK_VALUE(options.heads > 0 && options.width % options.heads == 0, "a width of ", options.width,
                    " can't be shared by ", options.heads, " heads");
}

// LibTorch's fused kernel for CPUs knows no dropout; those for GPUs do.
bool Attention::fused(const at::Tensor& query, double dropout) const {
  if (m_attention != AttentionKind::Auto) return m_attention == AttentionKind::Fused;
  return !query.is_cpu() || dropout == 0;
}

at::Tensor Attention::attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const at::Tensor& mask) {
  const auto sequences = query.size(0), tokens = query.size(1), heads = m_options.heads;
  const auto byHead = [&](const at::Tensor& x) {
    return x.view({sequences, tokens, heads, m_options.width / heads}).transpose(1, 2);
  };
  const double dropout = is_training() ? m_options.dropout : 0.0;
  std::optional<at::Tensor> visible;
  if (mask.defined() && !m_options.causal) visible = mask.unsqueeze(1).unsqueeze(1);
  const auto q = byHead(query), k = byHead(key), v = byHead(value);
  const auto mixed = fused(query, dropout) ? at::scaled_dot_product_attention(q, k, v, visible, dropout, m_options.causal)
                                           : written(q, k, v, visible.value_or(at::Tensor()), dropout);
  return mixed.transpose(1, 2).reshape({sequences, tokens, m_options.width});
}

at::Tensor Attention::written(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                              const at::Tensor& visible, double dropout) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(query.size(3)));
  auto scores = at::matmul(query.mul(scale), key.transpose(2, 3));
  // Not −∞: a sequence of paddings alone would become NaN. Each type can hold this.
  const double lowest = scores.scalar_type() == at::kHalf ? -65504.0 : -1e30;
  if (visible.defined()) scores.masked_fill_(visible.logical_not(), lowest);
  if (m_options.causal) scores.masked_fill_(future(scores.size(3), scores.device()), lowest);
  return at::matmul(at::dropout(at::softmax(scores, -1), dropout, dropout > 0), value);
}

const at::Tensor& Attention::future(std::int64_t tokens, at::Device device) {
  if (!m_future.defined() || m_future.size(0) != tokens || m_future.device() != device)
    m_future = at::ones({tokens, tokens}, at::TensorOptions().dtype(at::kBool).device(device)).triu(1);
  return m_future;
}

SelfAttention::SelfAttention(const AttentionOptions& options, AttentionNames names, Init init)
    : Attention(options), m_kind(std::move(names.kind)) {
  const auto linear = [&](const std::string& name) {
    return add(name, std::make_shared<Linear>(options.width, options.width, init));
  };
  m_query = linear(names.query);
  m_key = linear(names.key);
  m_value = linear(names.value);
  if (!names.out.empty()) m_out = linear(names.out);
}

// Training writes to the weights, and a fused optimizer doesn't count that up in their versions.
void SelfAttention::train(bool on) {
  Module::train(on);
  unpack();
}

std::array<at::Tensor, 6> SelfAttention::sources() const {
  return {m_query->weight(), m_key->weight(), m_value->weight(), m_query->bias(), m_key->bias(), m_value->bias()};
}

bool SelfAttention::mayPack(const at::Tensor& input) const {
  if (hooked() || inSegment() || wantsGraph(input) || m_query->computesOtherwise()) return false;
  const auto all = sources();
  // Inference tensors don't count their versions.
  return std::none_of(all.begin(), all.end(), [](const at::Tensor& t) { return t.is_inference() || wantsGraph(t); });
}

bool SelfAttention::packed() const {
  if (!m_weight.defined()) return false;
  return m_seen.unchanged(sources());
}

void SelfAttention::pack() {
  const at::NoGradGuard noGrad;
  const PhaseScope phase(MemoryPhase::Weights);
  unpack();
  const auto all = sources();
  m_weight = at::cat({all[0], all[1], all[2]});
  m_bias = at::cat({all[3], all[4], all[5]});
  m_seen.remember(all);
}

void SelfAttention::unpack() {
  m_weight.reset();
  m_bias.reset();
  m_seen.forget();
  m_laidOut.forget();
}

at::Tensor SelfAttention::forwardMasked(at::Tensor input, const at::Tensor& mask) {
  at::Tensor mixed;
  if (mayPack(input)) {
    if (!packed()) pack();
    auto together = m_laidOut(input, m_weight, m_bias);
    if (!together) together = at::linear(input, m_weight, m_bias);
    const auto all = together->chunk(3, -1);
    mixed = attend(all[0], all[1], all[2], mask);
  } else {
    unpack();
    const auto query = (*m_query)(input), key = (*m_key)(input), value = (*m_value)(input);
    mixed = attend(query, key, value, mask);
  }
  return m_out ? (*m_out)(std::move(mixed)) : mixed;
}

MultiheadAttention::MultiheadAttention(const AttentionOptions& options) : Attention(options) {
  const auto width = options.width;
  m_weight = register_parameter("in_proj_weight", blank({3 * width, width}, Init::Draw));
  m_bias = register_parameter("in_proj_bias", at::zeros({3 * width}));
  m_out = add("out_proj", std::make_shared<Linear>(width, width));  // PyTorch draws it first
  const at::NoGradGuard noGrad;
  // xavier_uniform_: ±√3 · √(2 ÷ (fan_in + fan_out)).
  const double bound = std::sqrt(3.0) * std::sqrt(2.0 / static_cast<double>(width + 3 * width));
  m_weight.uniform_(-bound, bound);
  m_out->bias().zero_();
}

at::Tensor MultiheadAttention::forwardMasked(at::Tensor input, const at::Tensor& mask) {
  const auto all = at::linear(input, m_weight, m_bias).chunk(3, -1);
  return (*m_out)(attend(all[0], all[1], all[2], mask));
}

}  // namespace atelier::engine
