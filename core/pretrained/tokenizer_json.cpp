#include "tokenizer_json.h"

#include <set>

namespace atelier::pretrained {
namespace {

using nlohmann::json;
using Event = json::parse_event_t;

constexpr int kDeepest = 100;
constexpr int kVocabulary = 3;  // how deep its members are: { "model": { "vocab": { … } } }

// Follows the parser. What it returns false for is not stored.
class Watch {
 public:
  Watch(StoredVocabulary& vocabulary, std::string& twice) : m_vocabulary(vocabulary), m_twice(twice) {}

  bool operator()(int depth, Event event, json& parsed) {
    if (depth > kDeepest) m_bad = true;
    if (m_bad) return false;
    if (depth >= kVocabulary && m_top == "model" && m_second == "vocab") return member(depth, event, parsed);
    if (event == Event::object_start) m_open.emplace_back();
    if (event == Event::object_end && !m_open.empty()) m_open.pop_back();
    return event != Event::key || key(depth, parsed.get_ref<const std::string&>());
  }

  bool bad() const { return m_bad; }

 private:
  bool key(int depth, const std::string& name) {
    if (depth == 1) m_top = name;
    if (depth <= 2) m_second = depth == 2 ? name : "";
    m_bad = m_open.empty() || !m_open.back().insert(name).second;
    if (m_bad) m_twice = name;
    return !m_bad;
  }

  bool member(int depth, Event event, json& parsed) {
    if (depth == kVocabulary && event == Event::key) {
      m_token = std::move(parsed.get_ref<std::string&>());
    } else if (event == Event::value && depth == kVocabulary && parsed.is_number_unsigned()) {
      m_vocabulary.tokens.emplace_back(std::move(m_token), parsed.get<std::uint64_t>());
    } else if (m_vocabulary.foreign.empty()) {
      m_vocabulary.foreign = shownJson(m_token) + " = " + (event == Event::value ? shownJson(parsed) : "…");
    }
    return false;
  }

  StoredVocabulary& m_vocabulary;
  std::string& m_twice;
  std::vector<std::set<std::string>> m_open;  // the keys of each object that is not ended
  std::string m_top, m_second, m_token;
  bool m_bad = false;
};

}  // namespace

std::string shownJson(const json& value) {
  constexpr std::size_t kMost = 60;
  auto text = value.dump(-1, ' ', true);
  if (text.size() > kMost) text.replace(kMost, std::string::npos, "…");
  return text;
}

bool parseTokenizerJson(std::string_view text, json& rest, StoredVocabulary& vocabulary, std::string& twice) {
  Watch watch(vocabulary, twice);
  const auto follow = [&watch](int depth, Event event, json& parsed) { return watch(depth, event, parsed); };
  rest = json::parse(text.begin(), text.end(), follow, false);
  return !rest.is_discarded() && !watch.bad() && rest.is_object();
}

}  // namespace atelier::pretrained
