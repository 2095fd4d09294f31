#include "tokens.h"

#include <filesystem>
#include <system_error>

#include "core/engine/data/text_dataset.h"
#include "core/engine/session/plan.h"
#include "core/pretrained/model_folder.h"

namespace atelier::engine {
namespace {

// The folder whose tokenizer the run uses, opened if it can be; as the session chooses it.
struct TokenFolder {
  std::string name;  // behind "hf:"
  bool of_model = false;
  std::shared_ptr<const pretrained::ModelFolder> opened{};
};

TokenFolder folderOf(ScriptBuilder& script) {
  const auto& model = script.text("model");
  const auto* unit = findModelUnit(model);
  TokenFolder folder{"minilm"};
  if (unit && !unit->prefix.empty()) folder = {model.substr(unit->prefix.size()), true};
  if (auto opened = openFolder("hf:" + folder.name); opened.ok()) folder.opened = *opened;
  return folder;
}

constexpr std::string_view kFromFile = R"py(
def tokenise(texts: list[str]) -> list[torch.Tensor]:
    """The token ids of each text, at most LENGTH with [CLS] and [SEP] counted."""
    tokenizer = Tokenizer.from_file(TOKENIZER)
    tokenizer.no_padding()
    tokenizer.enable_truncation(LENGTH)
    return [torch.tensor(encoding.ids) for encoding in tokenizer.encode_batch(texts)]
)py";

constexpr std::string_view kFromFolder = R"py(
def tokenise(texts: list[str]) -> list[torch.Tensor]:
    """The token ids of each text, at most LENGTH with [CLS] and [SEP] counted."""
    tokenizer = AutoTokenizer.from_pretrained(TOKENIZER)
    encoded = tokenizer(texts, truncation=True, max_length=LENGTH)
    return [torch.tensor(ids) for ids in encoded["input_ids"]]
)py";

void addTokeniser(ScriptBuilder& script, const TokenFolder& folder) {
  const auto path = folder.opened ? folder.opened->path : std::filesystem::path(folder.name);
  const auto file = path / "tokenizer.json";
  std::error_code ignored;
  // The small library reads tokenizer.json; a folder without one needs the large library, which knows older files.
  const bool small = !folder.opened || std::filesystem::exists(file, ignored);
  script.require(small ? "from tokenizers import Tokenizer" : "from transformers import AutoTokenizer");
  script.constant("TOKENIZER", script.path((small ? file : path).string(), 12));
  script.define(small ? kFromFile : kFromFolder);
}

}  // namespace

InputShape addTokens(ScriptBuilder& script, TokensFrom source) {
  const auto folder = folderOf(script);
  DataRequest request{static_cast<std::uint64_t>(script.integer("seed")), script.spec()};
  if (folder.opened) request.tokenizer = folder.opened->tokenizer;
  if (folder.opened && folder.of_model) request.max_tokens = folder.opened->max_tokens;
  const auto shape = tokenShape(request);
  script.integer("length");  // which tokenShape() has read
  script.constant("PAD", std::to_string(shape.pad), "the id that stands where there is no token");
  script.constant("LENGTH", std::to_string(shape.length), "tokens of the longest sequence");
  if (source == TokensFrom::Texts) addTokeniser(script, folder);
  return shape;
}

}  // namespace atelier::engine
