#include "bert.h"

#include <utility>
#include <vector>

#include "sequence_model.h"

namespace atelier::engine {
namespace {

using pretrained::BertConfig;
using Parts = std::vector<std::pair<std::string, std::shared_ptr<Module>>>;

bool isBert(const BertConfig& config) {
  return config.family != "distilbert";
}

// Named parts, one after the other.
class Chain final : public Module {
 public:
  Chain(std::string kind, const Parts& all) : m_kind(std::move(kind)) {
    for (const auto& [name, part] : all) add(name, part);
  }
  std::string kind() const override { return m_kind; }

 private:
  at::Tensor forward(at::Tensor input) override { return forwardMasked(std::move(input), {}); }
  at::Tensor forwardMasked(at::Tensor input, const at::Tensor& mask) override {
    for (const auto& [name, part] : parts()) input = (*part)(std::move(input), mask);
    return input;
  }
  std::string m_kind;
};

// Words, their positions, and BERT's type of the first sentence.
class Embeddings final : public Module {
 public:
  Embeddings(const BertConfig& config, Init init)
      : m_kind(isBert(config) ? "BertEmbeddings" : "Embeddings"), m_most(config.positions) {
    const auto table = [&](std::int64_t rows, std::int64_t pad) {
      return std::make_shared<Embedding>(rows, config.hidden, pad, init);
    };
    m_words = add("word_embeddings", table(config.vocabulary, config.pad));
    m_positions = add("position_embeddings", table(config.positions, -1));
    if (config.types > 0) m_types = add("token_type_embeddings", table(config.types, -1));
    m_norm = add("LayerNorm", std::make_shared<LayerNorm>(config.hidden, config.layer_norm_epsilon, init));
    m_dropout = add("dropout", std::make_shared<Dropout>(config.hidden_dropout));
    // Buffers, so that they go to the device with the model and aren't made again in each step.
    const auto device = init == Init::Shapes ? at::kMeta : at::kCPU;
    const auto numbers = at::TensorOptions().dtype(at::kLong).device(device);
    m_positionIds = register_buffer("position_ids", at::arange(config.positions, numbers).unsqueeze(0));
    if (m_types) m_typeIds = register_buffer("token_type_ids", at::zeros({1, 1}, numbers));
  }
  std::string kind() const override { return m_kind; }

 private:
  at::Tensor forward(at::Tensor ids) override {
    const auto tokens = ids.size(1);
    TORCH_CHECK_VALUE(tokens <= m_most, "a sequence of ", tokens, " tokens is longer than the model's ", m_most, " positions");
    auto words = (*m_words)(ids);
    auto places = (*m_positions)(m_positionIds.slice(1, 0, tokens));
    if (m_types) places = addShortcut(std::move(places), (*m_types)(m_typeIds));
    return (*m_dropout)((*m_norm)(addShortcut(std::move(words), places)));
  }
  std::string m_kind;
  std::int64_t m_most;
  std::shared_ptr<Embedding> m_words, m_positions, m_types;
  std::shared_ptr<LayerNorm> m_norm;
  std::shared_ptr<Dropout> m_dropout;
  at::Tensor m_positionIds, m_typeIds;  // (1, positions), (1, 1)
};

// A linear layer, dropout, and the norm of the sum with what went around it.
class ResidualNorm final : public Module {
 public:
  ResidualNorm(std::string kind, std::int64_t in, const BertConfig& config, Init init) : m_kind(std::move(kind)) {
    m_dense = add("dense", std::make_shared<Linear>(in, config.hidden, init));
    m_norm = add("LayerNorm", std::make_shared<LayerNorm>(config.hidden, config.layer_norm_epsilon, init));
    m_dropout = add("dropout", std::make_shared<Dropout>(config.hidden_dropout));
  }
  std::string kind() const override { return m_kind; }
  // The call path has one input: the other waits here for it.
  at::Tensor join(at::Tensor branch, at::Tensor shortcut) {
    m_shortcut = std::move(shortcut);
    return (*this)(std::move(branch));
  }

 private:
  at::Tensor forward(at::Tensor input) override {
    const auto shortcut = std::exchange(m_shortcut, at::Tensor());
    TORCH_INTERNAL_ASSERT(shortcut.defined(), m_kind, " is called by join() alone");
    return (*m_norm)(addShortcut((*m_dropout)((*m_dense)(std::move(input))), shortcut));
  }
  std::string m_kind;
  std::shared_ptr<Linear> m_dense;
  std::shared_ptr<LayerNorm> m_norm;
  std::shared_ptr<Dropout> m_dropout;
  at::Tensor m_shortcut;
};

std::shared_ptr<Module> activation(const std::string& name) {
  if (name == "relu") return std::make_shared<ReLU>();
  TORCH_CHECK_VALUE(name == "gelu" || name == "gelu_new", "no activation is called ", name);
  return std::make_shared<Gelu>(name == "gelu" ? GeluForm::Erf : GeluForm::Tanh, true);
}

std::shared_ptr<SelfAttention> attention(const BertConfig& config, Init init) {
  const AttentionOptions options{.width = config.hidden, .heads = config.heads, .dropout = config.attention_dropout};
  const auto names = isBert(config) ? AttentionNames{"BertSelfAttention", "query", "key", "value"}
                                    : AttentionNames{"DistilBertSelfAttention", "q_lin", "k_lin", "v_lin", "out_lin"};
  return std::make_shared<SelfAttention>(options, names, init);
}

class BertAttention final : public Module {
 public:
  BertAttention(const BertConfig& config, Init init) {
    m_self = add("self", attention(config, init));
    m_output = add("output", std::make_shared<ResidualNorm>("BertSelfOutput", config.hidden, config, init));
  }
  std::string kind() const override { return "BertAttention"; }

 private:
  at::Tensor forward(at::Tensor input) override { return forwardMasked(std::move(input), {}); }
  at::Tensor forwardMasked(at::Tensor input, const at::Tensor& mask) override {
    return m_output->join((*m_self)(input, mask), input);
  }
  std::shared_ptr<SelfAttention> m_self;
  std::shared_ptr<ResidualNorm> m_output;
};

class BertLayer final : public Module {
 public:
  BertLayer(const BertConfig& config, Init init) {
    m_attention = add("attention", std::make_shared<BertAttention>(config, init));
    const Parts inner{{"dense", std::make_shared<Linear>(config.hidden, config.intermediate, init)},
                      {"intermediate_act_fn", activation(config.activation)}};
    m_intermediate = add("intermediate", std::make_shared<Chain>("BertIntermediate", inner));
    m_output = add("output", std::make_shared<ResidualNorm>("BertOutput", config.intermediate, config, init));
  }
  std::string kind() const override { return "BertLayer"; }
  bool isBlock() const override { return true; }

 private:
  at::Tensor forward(at::Tensor input) override { return forwardMasked(std::move(input), {}); }
  at::Tensor forwardMasked(at::Tensor input, const at::Tensor& mask) override {
    const auto seen = (*m_attention)(std::move(input), mask);
    return m_output->join((*m_intermediate)(seen), seen);
  }
  std::shared_ptr<BertAttention> m_attention;
  std::shared_ptr<Chain> m_intermediate;
  std::shared_ptr<ResidualNorm> m_output;
};

// DistilBERT's layer: the same computation under other names.
class TransformerBlock final : public Module {
 public:
  TransformerBlock(const BertConfig& config, Init init) {
    const auto norm = [&] { return std::make_shared<LayerNorm>(config.hidden, config.layer_norm_epsilon, init); };
    m_attention = add("attention", attention(config, init));
    m_attentionNorm = add("sa_layer_norm", norm());
    const Parts inner{{"lin1", std::make_shared<Linear>(config.hidden, config.intermediate, init)},
                      {"activation", activation(config.activation)},
                      {"lin2", std::make_shared<Linear>(config.intermediate, config.hidden, init)},
                      {"dropout", std::make_shared<Dropout>(config.hidden_dropout)}};
    m_inner = add("ffn", std::make_shared<Chain>("FFN", inner));
    m_norm = add("output_layer_norm", norm());
  }
  std::string kind() const override { return "TransformerBlock"; }
  bool isBlock() const override { return true; }

 private:
  at::Tensor forward(at::Tensor input) override { return forwardMasked(std::move(input), {}); }
  at::Tensor forwardMasked(at::Tensor input, const at::Tensor& mask) override {
    const auto seen = (*m_attentionNorm)(addShortcut((*m_attention)(input, mask), input));
    return (*m_norm)(addShortcut((*m_inner)(seen), seen));
  }
  std::shared_ptr<SelfAttention> m_attention;
  std::shared_ptr<Chain> m_inner;
  std::shared_ptr<LayerNorm> m_attentionNorm, m_norm;
};

std::shared_ptr<Module> layers(const BertConfig& config, Init init) {
  const auto list = std::make_shared<ModuleList>();
  for (std::int64_t i = 0; i < config.layers; ++i) {
    if (isBert(config)) list->append(std::make_shared<BertLayer>(config, init));
    else list->append(std::make_shared<TransformerBlock>(config, init));
  }
  return std::make_shared<Chain>(isBert(config) ? "BertEncoder" : "Transformer", Parts{{"layer", list}});
}

}  // namespace

Bert::Bert(const BertConfig& config, std::int64_t classes, Init init)
    : m_kind(isBert(config) ? "BertForSequenceClassification" : "DistilBertForSequenceClassification"), m_pad(config.pad) {
  m_embeddings = add("embeddings", std::make_shared<Embeddings>(config, init));
  m_encoder = add(isBert(config) ? "encoder" : "transformer", layers(config, init));
  m_dropout = add("dropout", std::make_shared<Dropout>(config.hidden_dropout));
  const bool shapes = init == Init::Shapes;
  m_classifier = add("classifier", std::make_shared<Linear>(config.hidden, classes, shapes ? Init::Shapes : Init::Draw));
  if (shapes) return;
  const at::NoGradGuard noGrad;
  m_classifier->weight().normal_(0.0, config.initializer_range);
  m_classifier->bias().zero_();
}

at::Tensor Bert::embed(const at::Tensor& ids) {
  const auto mask = paddingMask(ids, m_pad);
  return meanOverTokens((*m_encoder)((*m_embeddings)(ids), mask), mask);
}

at::Tensor Bert::forward(at::Tensor ids) {
  return (*m_classifier)((*m_dropout)(embed(ids)));
}

}  // namespace atelier::engine
