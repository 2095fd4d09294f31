#include "model_folder.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "config_file.h"
#include "plain_text.h"

namespace atelier::pretrained {
namespace {

namespace fs = std::filesystem;

wire::Error refusal(const char* id, std::vector<std::pair<std::string, std::string>> args) {
  return {wire::ExitCode::Usage, wire::Message{id, std::move(args)}};
}

bool isFolder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool isFile(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool sameWord(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

// One model is known by several names: the set-up's, its own, and the hub's.
std::vector<std::string> namesOf(const std::string& name) {
  static constexpr std::array<std::string_view, 3> kMiniLm{"minilm", "all-MiniLM-L6-v2",
                                                           "sentence-transformers/all-MiniLM-L6-v2"};
  std::vector<std::string> names{name};
  if (std::any_of(kMiniLm.begin(), kMiniLm.end(), [&](std::string_view known) { return sameWord(known, name); }))
    names.insert(names.end(), kMiniLm.begin(), kMiniLm.end());
  return names;
}

fs::path asTyped(const std::string& name) {
  const char* account = std::getenv("HOME");
  if (account && (name == "~" || name.starts_with("~/")))
    return fs::path(account) / name.substr(std::min<std::size_t>(name.size(), 2));
  return name;
}

// A word that may be a model's name as well as a folder's.
bool isPlainName(const std::string& name) {
  return name.find('/') == std::string::npos && !name.starts_with('.') && !name.starts_with('~');
}

// Whether the name leads to something below a folder of models.
bool staysBelow(const fs::path& name) {
  return !name.empty() && name.is_relative() &&
         std::none_of(name.begin(), name.end(), [](const fs::path& part) { return part == ".."; });
}

// Weights that are there, but in a form that this program doesn't read, are told from none.
wire::Error noWeights(const fs::path& folder) {
  const auto index = folder / "model.safetensors.index.json";
  if (isFile(index)) return refusal("hf.weights_sharded", {{"folder", folder.string()}});
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const auto& file = entry->path();
    if (file.extension() == ".bin" && file.stem().string().starts_with("pytorch_model"))
      return refusal("hf.weights_pickled", {{"folder", folder.string()}, {"file", printable(file.filename().string())}});
  }
  return refusal("hf.no_weights", {{"folder", folder.string()}});
}

// The least of what the folder's files say; a tokenizer without a limit says 10³⁰.
wire::Result<std::int64_t> maxTokens(const fs::path& folder, std::int64_t positions) {
  static constexpr std::pair<const char*, const char*> kLimits[] = {{"tokenizer_config.json", "model_max_length"},
                                                                    {"sentence_bert_config.json", "max_seq_length"}};
  auto least = positions;
  for (const auto& [name, key] : kLimits) {
    if (!isFile(folder / name)) continue;
    auto file = ConfigFile::open(folder / name);
    if (!file.ok()) return file.error();
    const auto limit = file->number(key, static_cast<double>(positions), 2, 1e300);
    if (file->error()) return *file->error();
    if (limit < static_cast<double>(least)) least = static_cast<std::int64_t>(limit);
  }
  return least;
}

}  // namespace

wire::Result<fs::path> findModel(const std::string& name, const fs::path& home, const std::vector<fs::path>& installed) {
  std::vector<fs::path> looked;
  if (!name.empty()) {
    std::error_code error;
    const auto typed = fs::absolute(asTyped(name), error);
    if (!error && isFolder(typed) && (!isPlainName(name) || isFile(typed / "config.json"))) return typed;
    looked.push_back(typed);
  }
  std::vector<fs::path> roots;
  if (!home.empty()) roots.push_back(home / "models");
  roots.insert(roots.end(), installed.begin(), installed.end());
  for (const auto& root : roots) {
    for (const auto& known : namesOf(name))
      if (staysBelow(known) && isFolder(root / known)) return root / known;
    looked.push_back(root);
  }
  std::string all;
  for (const auto& folder : looked) all.append(all.empty() ? "" : ", ").append(folder.string());
  return refusal("hf.not_found", {{"name", printable(name)}, {"looked_in", printable(all, 1000)}});
}

wire::Result<std::shared_ptr<const ModelFolder>> openModelFolder(const fs::path& folder) {
  if (!isFile(folder / "config.json")) return refusal("hf.no_config", {{"folder", folder.string()}});
  auto config = readBertConfig(folder / "config.json");
  if (!config.ok()) return config.error();
  if (!isFile(folder / "model.safetensors")) return noWeights(folder);
  auto weights = SafetensorsFile::open(folder / "model.safetensors");
  if (!weights.ok()) return weights.error();
  if (!isFile(folder / "tokenizer.json") && !isFile(folder / "vocab.txt"))
    return refusal("hf.no_tokenizer", {{"folder", folder.string()}});
  auto tokenizer = openTokenizer(folder);
  if (!tokenizer.ok()) return tokenizer.error();
  const auto& words = **tokenizer;
  if (words.size() > config->vocabulary)
    return refusal("hf.vocabulary", {{"folder", folder.string()},
                                     {"tokenizer", std::to_string(words.size())},
                                     {"model", std::to_string(config->vocabulary)}});
  auto longest = maxTokens(folder, config->positions);
  if (!longest.ok()) return longest.error();
  auto opened = std::make_shared<ModelFolder>();
  opened->path = folder;
  opened->config = *config;
  // Batches are padded with the tokenizer's token, and the model must know it as such.
  if (words.pad() >= 0 && words.pad() < config->vocabulary) opened->config.pad = words.pad();
  opened->weights = *weights;
  opened->tokenizer = *tokenizer;
  opened->max_tokens = *longest;
  return std::shared_ptr<const ModelFolder>(std::move(opened));
}

}  // namespace atelier::pretrained
