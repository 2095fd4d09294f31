// WordPiece, as BERT's family uses it: the same ids as the `tokenizers` library, byte for byte, on any UTF-8 (and what is not
// UTF-8 is replaced by U+FFFD first). Reads tokenizer.json, or vocab.txt with tokenizer_config.json.
// Immutable; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/wire/result.h"

namespace atelier::pretrained {

struct Encoding {
  std::vector<std::int32_t> ids;  // [CLS] … [SEP]
  bool cut = false;               // it was longer than `max`
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  // At most `max` ids with [CLS] and [SEP] counted (max ≥ 2); 0: no limit. `out` is cleared first: a caller's buffer is reused.
  virtual void encode(std::string_view text, std::int64_t max, Encoding& out) const = 0;
  virtual const std::string& token(std::int32_t id) const = 0;  // "" when out of range
  virtual std::int32_t size() const = 0;                        // of the vocabulary
  virtual std::int32_t pad() const = 0;                         // −1: it has none
  virtual std::int32_t find(std::string_view token) const = 0;  // −1: unknown
};

// From a model's folder. Fails with tokenizer.missing, tokenizer.malformed {file, why}, tokenizer.unsupported {file, what}
// (another model than WordPiece, or a normalizer, pre-tokenizer or post-processor that this one does not know).
wire::Result<std::shared_ptr<const Tokenizer>> openTokenizer(const std::filesystem::path& folder);

}  // namespace atelier::pretrained
