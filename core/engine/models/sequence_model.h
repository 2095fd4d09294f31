// What the models of token sequences share. Ids are (N, T) int64, activations (N, T, E), masks (N, T) bool as in
// sequence_layers.h. Thread: the session's.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/engine/models/model.h"
#include "core/engine/module/sequence_layers.h"
#include "core/engine/module/series.h"

namespace atelier::engine {

// True at tokens; undefined where nothing is padded. On a CPU the ids are looked through; a GPU is never waited for, so there
// it is always made. Fails with c10::ValueError when the ids are no (N, T) with T ≥ 1.
at::Tensor paddingMask(const at::Tensor& ids, std::int64_t pad);

// Mean over the tokens of each sequence: (N, T, E) → (N, E); zero for a sequence of paddings alone.
at::Tensor meanOverTokens(const at::Tensor& hidden, const at::Tensor& mask);

// Parts named "0", "1", …, run in order with the mask.
class ModuleList final : public Series {
 public:
  void append(std::shared_ptr<Module> part) { add(std::to_string(parts().size()), std::move(part)); }
  std::string kind() const override { return "ModuleList"; }

 private:
  at::Tensor forward(at::Tensor input) override { return forwardMasked(std::move(input), {}); }
  at::Tensor forwardMasked(at::Tensor input, const at::Tensor& mask) override { return run(std::move(input), mask); }
};

// The stem of the transformer and the decoder: embedding and sinusoidal positions, four torch.nn.TransformerEncoderLayer
// (width 128, 4 heads, 512 within, GELU, norm first), a last norm. Without dropout: LibTorch's fused attention has none on a
// CPU, and the two ways of attention shall differ in nothing else.
struct SequenceOptions {
  std::int64_t vocabulary, length, pad;
  bool causal = false;
};

class SequenceModel : public Module {
 public:
  static constexpr std::int64_t kWidth = 128, kHeads = 4, kInner = 512, kLayers = 4;

 protected:
  // Draws embedding and layers, in this order.
  explicit SequenceModel(const SequenceOptions& options);
  // (N, T) → (N, T, 128). Fails with c10::ValueError when T is beyond `length`. `scale` is of the embedding.
  at::Tensor encode(const at::Tensor& ids, const at::Tensor& mask, double scale);
  const std::shared_ptr<Embedding>& embedding() const { return m_embedding; }

 private:
  std::shared_ptr<Embedding> m_embedding;
  at::Tensor m_positions;  // (length, 128)
  std::shared_ptr<ModuleList> m_layers;
  std::shared_ptr<LayerNorm> m_norm;
};

// Python: sinusoids(), and layers(): the four of them in a ModuleList.
extern const std::string_view kSequencePython;

}  // namespace atelier::engine
