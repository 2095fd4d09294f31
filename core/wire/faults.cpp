#include "faults.h"

#include <algorithm>

#include "option.h"

namespace atelier::wire {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

Message unknown(const std::string& given, const std::vector<std::string>& known) {
  std::string allowed = "none";
  for (const auto& id : known) allowed += ", " + id;
  return {"inject.unknown", {{"given", given}, {"allowed", allowed}, {"nearest", nearestName(given, known)}}};
}

}  // namespace

std::vector<std::string> faultIds() {
  return {"slow-loader", "item", "tiny-batches", "memory-leak", "nan", "dead-relu", "exploding-gradient", "busy-machine"};
}

Result<std::vector<std::string>> parseFaults(std::string_view text) {
  const auto known = faultIds();
  std::vector<std::string> faults;
  std::vector<Message> mistakes;
  const auto whole = trimmed(text);
  if (whole.empty()) return faults;
  for (std::size_t from = 0; from <= whole.size();) {
    const auto end = std::min(whole.find(',', from), whole.size());
    const std::string word(trimmed(whole.substr(from, end - from)));
    from = end + 1;
    if (word == "none" || std::find(faults.begin(), faults.end(), word) != faults.end()) continue;
    if (std::find(known.begin(), known.end(), word) != known.end()) faults.push_back(word);
    else mistakes.push_back(unknown(word, known));
  }
  if (!mistakes.empty()) return Error{ExitCode::Usage, std::move(mistakes)};
  return faults;
}

}  // namespace atelier::wire
