// Query: which runs a person wants to see, as they type it.
//   resnet bf16                                    words: every one stands in the id, name, tags, note or a text of the spec
//   samples_per_second > 3000 and precision = bf16
//   peak_memory < 512MiB accuracy >= 85 %          side by side means and
//   (tag = slow or pinned) not status = failed
//   created > 2026-11-01   loss = nan   memory_budget = none   note ~ "two words"   spec.steps = 60   fused
// Operators: = != < <= > >= and ~ (contains). Case never matters. A word that names a yes-or-no field asks for yes; between
// quotes it is a word again. Fields: see fields.h. A date is UTC, as the ids are, and means its whole day (month, year).
//
// What a run doesn't have matches no comparison, not even !=; `accuracy = none` asks for just those runs, and
// `not (accuracy > 80 %)` includes them. A label that was not given is empty: `tag != slow` includes runs without tags.
//
// Invariant: a Query is made by parse() only. Text and depth are bounded. Immutable after that; any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/wire/result.h"
#include "fields.h"

namespace atelier::registry {

struct QueryNode;

class Query {
 public:
  // Of nothing: matches every run.
  Query() = default;
  // `moreKeys`: keys of the spec beyond knownFields(), as `describe` lists them. The mistake is named with its position
  // (in characters, from 1), and an unknown field with the nearest known.
  static wire::Result<Query> parse(std::string_view text, const std::vector<std::string>& moreKeys = {});

  bool matches(const RunRecord& run) const;

 private:
  explicit Query(std::shared_ptr<const QueryNode> root) : m_root(std::move(root)) {}

  std::shared_ptr<const QueryNode> m_root;
};

}  // namespace atelier::registry
