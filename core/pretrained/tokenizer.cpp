#include "tokenizer.h"

#include "tokenizer_file.h"
#include "word_piece.h"

namespace atelier::pretrained {

wire::Result<std::shared_ptr<const Tokenizer>> openTokenizer(const std::filesystem::path& folder) {
  const auto config = folder / "tokenizer_config.json";
  std::error_code ignored;
  wire::Result<WordPieceSettings> settings = WordPieceSettings();
  if (const auto json = folder / "tokenizer.json"; std::filesystem::exists(json, ignored)) {
    settings = readTokenizerJson(json, config);
  } else if (const auto vocabulary = folder / "vocab.txt"; std::filesystem::exists(vocabulary, ignored)) {
    settings = readVocabulary(vocabulary, config);
  } else {
    return wire::Error{wire::ExitCode::Usage, {"tokenizer.missing", {{"folder", folder.string()}}}};
  }
  if (!settings) return settings.error();
  return std::shared_ptr<const Tokenizer>(std::make_shared<WordPiece>(std::move(*settings)));
}

}  // namespace atelier::pretrained
