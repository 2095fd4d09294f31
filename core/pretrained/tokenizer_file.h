// A tokenizer's files → settings. Every file is distrusted: what is too large, of another type than it should be, twice, or
// missing is refused with its place, and so is each part that would change the ids and is not known here. Pure; any thread.
#pragma once

#include <filesystem>

#include "core/wire/result.h"
#include "word_piece.h"

namespace atelier::pretrained {

// tokenizer.json; what it says of truncation and padding is left to the caller, but for the token that pads, which the `config`
// (tokenizer_config.json, may be absent) names first. Fails with tokenizer.malformed {file, why}, tokenizer.unsupported {file,
// what}.
wire::Result<WordPieceSettings> readTokenizerJson(const std::filesystem::path& file, const std::filesystem::path& config);

// vocab.txt, one token a line, with the settings of `config`; absent, these are the uncased model's. Fails as above.
wire::Result<WordPieceSettings> readVocabulary(const std::filesystem::path& file, const std::filesystem::path& config);

}  // namespace atelier::pretrained
