// The keys of config.json, as the transformers library names them for each family, under one set of names.
#include <array>
#include <string>
#include <string_view>

#include "config_file.h"
#include "model_folder.h"
#include "plain_text.h"

namespace atelier::pretrained {
namespace {

// Far above every model of these families, and low enough that no product of two overflows anything.
constexpr std::int64_t kMostTokens = 10'000'000, kWidest = 65'536, kMostLayers = 1'000, kLongest = 1'000'000;

constexpr std::string_view kSupported = "bert, distilbert";

struct Keys {
  const char *hidden, *layers, *heads, *intermediate, *activation, *hidden_dropout, *attention_dropout;
  std::int64_t default_layers;
};

constexpr Keys kBert{"hidden_size", "num_hidden_layers",   "num_attention_heads",          "intermediate_size",
                     "hidden_act",  "hidden_dropout_prob", "attention_probs_dropout_prob", 12};
constexpr Keys kDistilBert{"dim", "n_layers", "n_heads", "hidden_dim", "activation", "dropout", "attention_dropout", 6};

// What a file leaves out has the library's default.
void readSizes(ConfigFile& file, const Keys& keys, BertConfig& config) {
  config.vocabulary = file.integer("vocab_size", 30522, 1, kMostTokens);
  config.hidden = file.integer(keys.hidden, 768, 1, kWidest);
  config.layers = file.integer(keys.layers, keys.default_layers, 1, kMostLayers);
  config.heads = file.integer(keys.heads, 12, 1, kWidest);
  config.intermediate = file.integer(keys.intermediate, 3072, 1, 16 * kWidest);
  config.positions = file.integer("max_position_embeddings", 512, 2, kLongest);  // [CLS] and [SEP] at least
  config.pad = file.integer("pad_token_id", 0, 0, config.vocabulary - 1);
  if (config.hidden % config.heads != 0)
    file.refuse(keys.heads, std::to_string(config.hidden).append(" mod ").append(std::to_string(config.heads)).append(" ≠ 0"));
}

void readNumbers(ConfigFile& file, const Keys& keys, BertConfig& config) {
  config.hidden_dropout = file.number(keys.hidden_dropout, 0.1, 0, 1);
  config.attention_dropout = file.number(keys.attention_dropout, 0.1, 0, 1);
  config.initializer_range = file.number("initializer_range", 0.02, 0, 10);
  config.activation = file.text(keys.activation, "gelu");
  constexpr std::array<std::string_view, 3> kActivations{"gelu", "gelu_new", "relu"};
  for (const auto known : kActivations)
    if (config.activation == known) return;
  file.refuse(keys.activation, config.activation + " ∉ {gelu, gelu_new, relu}");
}

// What would make another network of it, or needs other weights.
void refuseVariants(ConfigFile& file) {
  if (const auto kind = file.text("position_embedding_type", "absolute"); kind != "absolute")
    file.refuse("position_embedding_type", kind + " ≠ absolute");
  for (const char* key : {"is_decoder", "add_cross_attention"})
    if (file.flag(key, false)) file.refuse(key, "true ≠ false");
  if (file.has("quantization_config")) file.refuse("quantization_config", "≠ null");
}

}  // namespace

wire::Result<BertConfig> readBertConfig(const std::filesystem::path& path) {
  auto opened = ConfigFile::open(path);
  if (!opened.ok()) return opened.error();
  auto& file = opened.value();
  BertConfig config;
  config.family = file.text("model_type", "");
  if (file.error()) return *file.error();
  if (config.family.empty()) return configError(path, "model_type", "bert, distilbert");
  const bool bert = config.family == "bert";
  if (!bert && config.family != "distilbert")
    return wire::Error{wire::ExitCode::Usage,
                       {"hf.architecture", {{"model_type", printable(config.family)}, {"supported", std::string(kSupported)}}}};
  const auto& keys = bert ? kBert : kDistilBert;
  readSizes(file, keys, config);
  readNumbers(file, keys, config);
  if (bert) {
    config.types = file.integer("type_vocab_size", 2, 1, 1024);
    config.layer_norm_epsilon = file.number("layer_norm_eps", 1e-12, 0, 1);
  }
  refuseVariants(file);
  if (file.error()) return *file.error();
  return config;
}

}  // namespace atelier::pretrained
