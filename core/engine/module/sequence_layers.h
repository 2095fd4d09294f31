// Layers of sequence models, with PyTorch's names, defaults and initialisation as in layers.h. Activations are (N, T, E):
// sequences, tokens, width. A mask is (N, T) bool, true at tokens; undefined where nothing is padded.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <c10/core/StorageImpl.h>
#include <c10/util/intrusive_ptr.h>

#include "layers.h"

namespace atelier::engine {

// Rows of a table by their numbers: (…) int64 → (…, width). The row of `padding` (−1: none) is zero and gets no gradient.
class Embedding final : public Module {
 public:
  Embedding(std::int64_t vocabulary, std::int64_t width, std::int64_t padding = -1, Init init = Init::Draw);
  std::string kind() const override { return "Embedding"; }
  const at::Tensor& weight() const { return m_weight; }

 private:
  at::Tensor forward(at::Tensor ids) override;
  std::int64_t m_padding;
  at::Tensor m_weight;
};

// Over the last dimension.
class LayerNorm final : public Module {
 public:
  explicit LayerNorm(std::int64_t width, double epsilon = 1e-5, Init init = Init::Draw);
  std::string kind() const override { return "LayerNorm"; }

 private:
  at::Tensor forward(at::Tensor input) override;
  std::int64_t m_width;
  double m_epsilon;
  at::Tensor m_weight, m_bias;
};

// The identity outside training.
class Dropout final : public Module {
 public:
  explicit Dropout(double share) : m_share(share) {}
  std::string kind() const override { return "Dropout"; }

 private:
  at::Tensor forward(at::Tensor input) override;
  double m_share;
};

enum class GeluForm { Erf, Tanh };

class Gelu final : public Module {
 public:
  // `reuse`: without gradients the input's memory takes the output; for inputs that nobody else holds.
  explicit Gelu(GeluForm form = GeluForm::Erf, bool reuse = false) : m_form(form), m_reuse(reuse) {}
  std::string kind() const override { return "GELU"; }

 private:
  at::Tensor forward(at::Tensor input) override;
  GeluForm m_form;
  bool m_reuse;
};

// branch + shortcut. `branch` is the caller's own: without gradients its memory takes the sum.
at::Tensor addShortcut(at::Tensor branch, const at::Tensor& shortcut);

// How attention is computed.
enum class AttentionKind {
  Auto,   // Fused where LibTorch has a fused kernel for the case, else Math
  Math,   // matmul, softmax, matmul: the scores (N, heads, T, T) stand in memory
  Fused,  // at::scaled_dot_product_attention; where it has no fused kernel, it does the same as Math by itself
};

struct AttentionOptions {
  std::int64_t width, heads;
  double dropout = 0;   // of the scores' softmax, in training
  bool causal = false;  // a token sees itself and those before it; padding must come last then, and needs no mask
};

// Base of the modules that let tokens look at each other.
class Attention : public Module {
 public:
  explicit Attention(const AttentionOptions& options);
  void setAttention(AttentionKind kind) { m_attention = kind; }
  double dropout() const { return m_options.dropout; }

 protected:
  // softmax(q kᵀ ÷ √(E ÷ heads)) v, head by head; all (N, T, E).
  at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const at::Tensor& mask);

 private:
  bool fused(const at::Tensor& query, double dropout) const;
  at::Tensor written(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const at::Tensor& visible,
                     double dropout);
  const at::Tensor& future(std::int64_t tokens, at::Device device);

  AttentionOptions m_options;
  AttentionKind m_attention = AttentionKind::Auto;
  at::Tensor m_future;  // (T, T) bool, true above the diagonal; kept between steps
};

// What a family of models calls the parts. No `out`: its projection stands elsewhere.
struct AttentionNames {
  std::string kind, query, key, value, out{};
};

// Three linear layers and attention over what they make. Where no gradient is asked for, their weights are laid under each
// other and one matmul does the work of three; the copy is made again when a weight was written or replaced.
class SelfAttention final : public Attention {
 public:
  SelfAttention(const AttentionOptions& options, AttentionNames names, Init init = Init::Draw);
  std::string kind() const override { return m_kind; }
  void train(bool on = true) override;

 private:
  at::Tensor forward(at::Tensor input) override { return forwardMasked(std::move(input), {}); }
  at::Tensor forwardMasked(at::Tensor input, const at::Tensor& mask) override;
  std::array<at::Tensor, 6> sources() const;  // three weights, three biases
  bool mayPack(const at::Tensor& input) const;
  bool packed() const;
  void pack();
  void unpack();

  std::string m_kind;
  std::shared_ptr<Linear> m_query, m_key, m_value, m_out;
  at::Tensor m_weight, m_bias;  // (3 E, E), (3 E); undefined: not packed
  SeenTensors m_seen;           // what they were made from
  LaidOutLinear m_laidOut;
};

// torch.nn.MultiheadAttention over one sequence: the three projections are one parameter.
class MultiheadAttention final : public Attention {
 public:
  explicit MultiheadAttention(const AttentionOptions& options);
  std::string kind() const override { return "MultiheadAttention"; }

 private:
  at::Tensor forward(at::Tensor input) override { return forwardMasked(std::move(input), {}); }
  at::Tensor forwardMasked(at::Tensor input, const at::Tensor& mask) override;
  at::Tensor m_weight, m_bias;
  std::shared_ptr<Linear> m_out;
};

}  // namespace atelier::engine
