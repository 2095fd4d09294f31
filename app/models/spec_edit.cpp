#include "spec_edit.h"

#include <utility>

namespace atelier::app {

namespace {

constexpr std::size_t kMostUndone = 200;

std::string plain(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// As a person types it.
std::string textOf(const wire::Option& option, const nlohmann::json& value) {
  const auto read = wire::readValue(option, value);
  return read ? wire::valueText(option, *read) : plain(value);
}

}  // namespace

void SpecEdit::setSchema(const wire::Schema& schema) {
  const auto kept = m_schema.options().empty() ? m_given : spec();
  const auto reference = m_reference;
  m_schema = schema;
  setSpec(kept);
  setReference(reference);
}

void SpecEdit::setSpec(const nlohmann::json& spec) {
  m_given = spec.is_object() ? spec : nlohmann::json::object();
  m_state = read(m_given);
  m_past.clear();
  m_future.clear();
  seal();
}

void SpecEdit::setReference(const nlohmann::json& spec) {
  m_reference = spec;
  m_from = read(spec).typed;
}

SpecEdit::State SpecEdit::read(const nlohmann::json& spec) const {
  State state;
  if (!spec.is_object()) return state;
  for (const auto& [key, value] : spec.items()) {
    if (const auto* option = m_schema.find(key)) put(state.typed, key, textOf(*option, value));
    else state.strays[key] = value;
  }
  return state;
}

// "0.0010" is kept beside the default 0.001: it may be on its way to 0.00105.
void SpecEdit::put(Texts& texts, const std::string& key, const std::string& text) const {
  if (text == fallback(key)) texts.erase(key);
  else texts[key] = text;
}

nlohmann::json SpecEdit::spec() const {
  if (m_schema.options().empty()) return m_given;
  auto json = m_state.strays;
  for (const auto& [key, text] : m_state.typed) {
    const auto* option = m_schema.find(key);
    const auto read = wire::readText(*option, text);
    if (!read) json[key] = text;
    else if (*read != option->fallback) json[key] = wire::valueJson(*read);
  }
  return json;
}

std::vector<wire::Message> SpecEdit::mistakes() const {
  std::vector<wire::Message> all;
  for (const auto& [key, value] : m_state.strays.items()) {
    const auto nearest = m_schema.nearestKey(key);
    all.push_back({nearest.empty() ? "spec.unknown_key" : "spec.unknown_key_near", {{"key", key}, {"nearest", nearest}}});
  }
  for (const auto& [key, text] : m_state.typed)
    if (auto wrong = mistake(key)) all.push_back(std::move(*wrong));
  return all;
}

std::string SpecEdit::fallback(const std::string& key) const {
  const auto* option = m_schema.find(key);
  return wire::valueText(*option, option->fallback);
}

std::string SpecEdit::typed(const std::string& key) const {
  const auto found = m_state.typed.find(key);
  return found == m_state.typed.end() ? fallback(key) : found->second;
}

std::string SpecEdit::reference(const std::string& key) const {
  const auto found = m_from.find(key);
  return found == m_from.end() ? fallback(key) : found->second;
}

void SpecEdit::type(const std::string& key, const std::string& text) {
  auto state = m_state;
  put(state.typed, key, text);
  change(std::move(state), key);
}

void SpecEdit::reset(const std::string& key) {
  auto state = m_state;
  put(state.typed, key, reference(key));
  change(std::move(state), {});
}

void SpecEdit::resetAll() {
  change({m_from, nlohmann::json::object()}, {});
}

void SpecEdit::dropStrays() {
  change({m_state.typed, nlohmann::json::object()}, {});
}

void SpecEdit::change(State state, const std::string& typing) {
  if (state == m_state) return;
  const bool goesOn = !typing.empty() && typing == m_typing && !m_past.empty();
  if (!goesOn) m_past.push_back(m_state);
  if (m_past.size() > kMostUndone) m_past.erase(m_past.begin());
  m_future.clear();
  m_typing = typing;
  m_state = std::move(state);
}

void SpecEdit::undo() {
  if (!canUndo()) return;
  m_future.push_back(std::exchange(m_state, m_past.back()));
  m_past.pop_back();
  seal();
}

void SpecEdit::redo() {
  if (!canRedo()) return;
  m_past.push_back(std::exchange(m_state, m_future.back()));
  m_future.pop_back();
  seal();
}

std::optional<wire::Message> SpecEdit::mistake(const std::string& key) const {
  const auto found = m_state.typed.find(key);
  if (found == m_state.typed.end()) return std::nullopt;
  const auto read = wire::readText(*m_schema.find(key), found->second);
  return read ? std::nullopt : std::optional(read.error().messages.front());
}

bool SpecEdit::changed(const std::string& key) const {
  const auto* option = m_schema.find(key);
  const auto read = wire::readText(*option, typed(key));
  return !read || *read != option->fallback;
}

bool SpecEdit::differs(const std::string& key) const {
  const auto* option = m_schema.find(key);
  const auto here = wire::readText(*option, typed(key)), there = wire::readText(*option, reference(key));
  return here && there ? *here != *there : typed(key) != reference(key);
}

nlohmann::json specDifference(const wire::Schema& schema, const nlohmann::json& from, const nlohmann::json& to) {
  SpecEdit edit;
  edit.setSchema(schema);
  edit.setReference(from);
  edit.setSpec(to);
  auto difference = edit.strays();
  const auto spec = edit.spec();
  for (const auto& option : schema.options())
    if (edit.differs(option.key))
      difference[option.key] = spec.contains(option.key) ? spec[option.key] : wire::valueJson(option.fallback);
  return difference;
}

std::string specWords(const wire::Schema& schema, const nlohmann::json& spec) {
  std::string words;
  if (!spec.is_object()) return words;
  for (const auto& [key, value] : spec.items()) {
    const auto* option = schema.find(key);
    const auto text = option ? textOf(*option, value) : plain(value);
    words += (words.empty() ? "" : " · ") + key + "\u00a0=\u00a0" + text;
  }
  return words;
}

}  // namespace atelier::app
