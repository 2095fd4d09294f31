// Small inputs and models of token sequences for tests.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <ATen/ATen.h>

#include "core/engine/models/model.h"
#include "core/engine/session/plan.h"

namespace atelier::engine {

inline InputShape smallTokens(std::int64_t vocabulary = 40, std::int64_t length = 12, std::int64_t classes = 3) {
  InputShape shape;
  shape.kind = InputKind::Tokens;
  shape.vocabulary = vocabulary;
  shape.length = length;
  shape.classes = classes;
  return shape;
}

// A unit's model, bound, its weights drawn from the seed.
inline std::shared_ptr<Module> builtModel(const std::string& model, const InputShape& shape, std::uint64_t seed = 0) {
  const auto spec = *wire::RunSpec::parse(*engineSchema(), nlohmann::json{{"model", model}});
  at::manual_seed(seed);
  auto built = findModelUnit(model)->build({shape, spec, nullptr});
  built->bind();
  return built;
}

// Rows of ids as (N, T), filled up with `pad`.
inline at::Tensor tokenIds(const std::vector<std::vector<std::int64_t>>& rows, std::int64_t pad = 0) {
  std::size_t longest = 0;
  for (const auto& row : rows) longest = std::max(longest, row.size());
  auto ids = at::full({static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(longest)}, pad, at::kLong);
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy(rows[i].begin(), rows[i].end(), ids.mutable_data_ptr<std::int64_t>() + i * longest);
  return ids;
}

}  // namespace atelier::engine
