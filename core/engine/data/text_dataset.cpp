#include "text_dataset.h"

#include <algorithm>
#include <utility>

#include "core/pretrained/tokenizer.h"

namespace atelier::engine {
namespace {

TextDataset::Sets tokenised(const std::vector<LabelledText>& texts, const pretrained::Tokenizer& tokenizer, std::int64_t most) {
  TextDataset::Sets sets;
  pretrained::Encoding encoding;
  for (const auto& text : texts) {
    tokenizer.encode(text.text, most, encoding);
    sets[static_cast<std::size_t>(text.split)].add(encoding.ids, text.label);
  }
  for (auto& set : sets) set.ids.shrink_to_fit();
  return sets;
}

}  // namespace

void TokenSet::add(std::span<const std::int32_t> sequence, std::int64_t label) {
  ids.insert(ids.end(), sequence.begin(), sequence.end());
  offsets.push_back(static_cast<std::int64_t>(ids.size()));
  labels.push_back(label);
}

TextDataset::TextDataset(std::string name, const InputShape& input, Sets sets) : m_sets(std::move(sets)) {
  id = std::move(name);
  shape = input;
}

TextDataset::TextDataset(std::string name, const InputShape& input, const std::vector<LabelledText>& texts,
                         const pretrained::Tokenizer& tokenizer)
    : TextDataset(std::move(name), input, tokenised(texts, tokenizer, input.length)) {}

std::int64_t TextDataset::sampleLength(Split split, std::int64_t index) const {
  const auto& offsets = set(split).offsets;
  return offsets[static_cast<std::size_t>(index) + 1] - offsets[static_cast<std::size_t>(index)];
}

Batch TextDataset::makeBatch(const BatchRequest& request) const {
  const auto& from = set(request.split);
  const auto* indices = request.indices;
  const auto count = request.count;
  std::int64_t longest = 1;
  for (std::int64_t i = 0; i < count; ++i) {
    TORCH_CHECK_INDEX(indices[i] >= 0 && indices[i] < from.count(), "sample ", indices[i], " is outside the data set of ",
                      from.count());
    const auto index = static_cast<std::size_t>(indices[i]);
    longest = std::max(longest, from.offsets[index + 1] - from.offsets[index]);
  }
  Batch batch{at::empty({count, longest}, at::kLong), at::empty({count}, at::kLong)};
  auto* out = batch.input.data_ptr<std::int64_t>();
  auto* targets = batch.target.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<std::size_t>(indices[i]);
    auto* const end = std::copy(from.ids.begin() + from.offsets[index], from.ids.begin() + from.offsets[index + 1], out);
    out += longest;
    std::fill(end, out, shape.pad);
    targets[i] = from.labels[index];
  }
  return batch;
}

InputShape tokenShape(const DataRequest& request) {
  InputShape shape;
  shape.kind = InputKind::Tokens;
  shape.classes = 2;
  shape.vocabulary = request.tokenizer ? request.tokenizer->size() : 30522;
  if (request.tokenizer) shape.pad = std::max(0, request.tokenizer->pad());  // of one without a padding token: any will do
  shape.length = request.spec.integer("length");
  if (request.max_tokens > 0) shape.length = std::min(shape.length, request.max_tokens);
  return shape;
}

}  // namespace atelier::engine
