// Encoders of the BERT family: BERT and DistilBERT, their parameters and modules named as in the transformers library, so that
// weights load by name and a path means the same there and here. Post-norm, the mean over the tokens as a sentence's embedding,
// a linear classifier on it. Thread: the session's.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/engine/module/sequence_layers.h"
#include "core/pretrained/model_folder.h"
#include "core/wire/result.h"

namespace atelier::engine {

class Bert final : public Module {
 public:
  // `init` is of the encoder. The classifier is drawn (normal with the config's range, no bias) unless there are only shapes.
  // The pad token is the config's.
  Bert(const pretrained::BertConfig& config, std::int64_t classes, Init init = Init::Draw);
  std::string kind() const override { return m_kind; }

  // Ids (N, T) int64 → (N, hidden), not normalised. Fails with c10::ValueError when T is beyond the config's positions.
  at::Tensor embed(const at::Tensor& ids);

 private:
  at::Tensor forward(at::Tensor ids) override;  // logits (N, classes)

  std::string m_kind;
  std::int64_t m_pad;
  std::shared_ptr<Module> m_embeddings, m_encoder;
  std::shared_ptr<Dropout> m_dropout;
  std::shared_ptr<Linear> m_classifier;
};

// Fills the model's parameters, all but the classifier's, from the file's tensors of the same names; "bert." or "distilbert."
// may stand before a name on either side, and a norm's parameters may have their old names gamma and beta. Other tensors of
// the file (a pooler, a head of another task) are left alone.
// Fails with weights.missing_tensor {tensor}, and as load_weights.h's checkTensor() does; nothing was written then.
// REQUIRES: the parameters are float32.
wire::Status loadWeights(Module& model, const pretrained::SafetensorsFile& file);

// Whether loadWeights() will succeed for the model that the folder's config describes. Reads no tensor, takes no memory.
wire::Status checkWeights(const pretrained::ModelFolder& folder);

}  // namespace atelier::engine
