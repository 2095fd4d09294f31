#include "details.h"

#include <string_view>

#include "finish.h"
#include "index.h"

namespace atelier::trace {
namespace {

void appendNumber(std::string& key, std::uint64_t number) {
  key.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void appendText(std::string& key, std::string_view text) {
  appendNumber(key, text.size());
  key.append(text);
}

void writeKey(std::string& key, const Detail& detail) {
  key.clear();
  appendNumber(key, detail.inputs.size());
  for (const auto& input : detail.inputs) {
    appendText(key, input.dtype);
    appendNumber(key, input.sizes.size());
    for (const auto size : input.sizes) appendNumber(key, static_cast<std::uint64_t>(size));
  }
  for (const auto& scalar : detail.scalars) appendText(key, scalar);
  appendText(key, detail.stack);
  appendNumber(key, detail.scalars.size());
}

}  // namespace

std::int32_t Details::add(Detail detail) {
  writeKey(m_key, detail);
  const auto [found, added] = m_ids.try_emplace(m_key, idOf(m_details.size()));
  if (added) m_details.push_back(std::move(detail));
  return found->second;
}

void shareDetails(Trace& trace) {
  Details shared;
  std::vector<std::int32_t> ids(trace.details.size(), -1);
  for (auto& event : trace.events) {
    if (event.detail < 0) continue;
    auto& id = ids[at(event.detail)];
    if (id < 0) id = shared.add(std::move(trace.details[at(event.detail)]));
    event.detail = id;
  }
  trace.details = shared.take();
}

}  // namespace atelier::trace
