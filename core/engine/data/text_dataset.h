// Sequences of token ids in memory, those of a split one after the other in one vector: 4 bytes a token and no pointer a
// sequence. Immutable once made; any thread.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataset.h"

namespace atelier::engine {

struct TokenSet {
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> offsets{0};  // sequence i is ids[offsets[i]] … ids[offsets[i + 1] − 1]
  std::vector<std::int64_t> labels;

  std::int64_t count() const { return static_cast<std::int64_t>(labels.size()); }
  void add(std::span<const std::int32_t> sequence, std::int64_t label);
};

// A text to be tokenised; the text outlives the call that it is given to.
struct LabelledText {
  Split split = Split::Train;
  std::string_view text;  // UTF-8
  std::int64_t label = 0;
};

class TextDataset final : public Dataset {
 public:
  using Sets = std::array<TokenSet, 3>;  // by Split

  TextDataset(std::string name, const InputShape& input, Sets sets);
  // Tokenises the texts, each to input.length ids at most, [CLS] and [SEP] counted. On the calling thread: some 20,000
  // sentences take a fraction of a second.
  TextDataset(std::string name, const InputShape& input, const std::vector<LabelledText>& texts,
              const pretrained::Tokenizer& tokenizer);

  std::int64_t count(Split split) const override { return set(split).count(); }
  std::int64_t sampleLength(Split split, std::int64_t index) const override;

  const TokenSet& set(Split split) const { return m_sets[static_cast<std::size_t>(split)]; }

 private:
  // input (N, T) int64, T the longest of these sequences (at least 1) and shape.pad behind the shorter ones; target (N) int64.
  Batch makeBatch(const BatchRequest& request) const override;

  Sets m_sets;
};

// The shape of two classes of sequences, as a request asks for them: with the vocabulary and padding of its tokenizer (BERT's
// 30,522 and 0 without one), and no longer than both the key `length` and the model allow.
InputShape tokenShape(const DataRequest& request);

}  // namespace atelier::engine
