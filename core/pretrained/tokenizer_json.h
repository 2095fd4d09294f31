// tokenizer.json as a value and, apart from it, its vocabulary: a list costs a third of the time and memory of a JSON object
// with hundreds of thousands of members. Internal to the room. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace atelier::pretrained {

// ASCII, cut short: for an error's place. REQUIRES: not nested deeply.
std::string shownJson(const nlohmann::json& value);

struct StoredVocabulary {
  std::vector<std::pair<std::string, std::uint64_t>> tokens;  // in the file's order; a token may stand twice
  std::string foreign;  // of the first token whose id is no whole number from 0: token and id; else empty
};

// Distrusts as wire::parseJson() does; in `rest` model.vocab is empty. False when the text is malformed, no object, nested too
// deeply, or has a member twice (which is then left in `twice`; not so the vocabulary's members).
bool parseTokenizerJson(std::string_view text, nlohmann::json& rest, StoredVocabulary& vocabulary, std::string& twice);

}  // namespace atelier::pretrained
