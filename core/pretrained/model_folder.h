// A Hugging Face model's folder: config.json, its weights, its tokenizer. What is in it is told without Torch; the engine
// builds the model. Immutable; any thread.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/wire/result.h"
#include "safetensors.h"
#include "tokenizer.h"

namespace atelier::pretrained {

// An encoder of the BERT family, its keys under one set of names whatever the family calls them.
struct BertConfig {
  std::string family;  // "bert" or "distilbert"
  std::int64_t vocabulary = 0, hidden = 0, layers = 0, heads = 0, intermediate = 0, positions = 0, types = 0;
  double layer_norm_epsilon = 1e-12, hidden_dropout = 0.1, attention_dropout = 0.1, initializer_range = 0.02;
  std::string activation = "gelu";  // gelu, gelu_new, relu
  std::int64_t pad = 0;             // token id
};

// Fails with hf.config {file, key, why}; hf.architecture {model_type, supported} for another family; every number is bounded.
wire::Result<BertConfig> readBertConfig(const std::filesystem::path& file);

struct ModelFolder {
  std::filesystem::path path;
  BertConfig config;
  std::shared_ptr<const SafetensorsFile> weights;
  std::shared_ptr<const Tokenizer> tokenizer;
  std::int64_t max_tokens = 512;  // the least of config, tokenizer_config and sentence_bert_config
};

// Where `name` of "hf:name" lies: a folder as typed (absolute, relative, "~"), $ATELIER_HOME/models/NAME, or a model that the
// set-up installed (`installed`: folders to look in, each holding models by name). "minilm" and "all-MiniLM-L6-v2" are one.
// Fails with hf.not_found {name, looked_in}.
wire::Result<std::filesystem::path> findModel(const std::string& name, const std::filesystem::path& home,
                                              const std::vector<std::filesystem::path>& installed);

// Config, weights and tokenizer. Fails as its parts do, and with hf.no_config, hf.no_weights, hf.weights_sharded,
// hf.weights_pickled (.bin), hf.no_tokenizer {folder}; hf.vocabulary {folder, tokenizer, model} when the tokenizer has more
// tokens than the model. Whether the weights fit the config is for whoever loads them to see.
wire::Result<std::shared_ptr<const ModelFolder>> openModelFolder(const std::filesystem::path& folder);

}  // namespace atelier::pretrained
