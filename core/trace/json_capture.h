// Keeps a small part of a scanned text as a JSON value. Internal to the room. One thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/wire/number.h"

namespace atelier::trace {

class JsonCapture {
 public:
  // The text's object or array begins, and with it what is kept.
  void open(bool object) {
    auto container = object ? nlohmann::json::object() : nlohmann::json::array();
    if (m_open.empty()) {
      m_value = std::move(container);
      m_open.push_back(&m_value);
      m_kept = 0;
    } else {
      m_open.push_back(add(std::move(container)));
    }
  }
  // True when all that was opened is closed.
  bool close() {
    m_open.pop_back();
    return m_open.empty();
  }
  void key(std::string_view text) { m_key = text; }
  void text(std::string_view text) { add(std::string(text)); }
  void number(std::string_view digits) {
    if (const auto integer = wire::parseInteger(digits)) add(*integer);
    else if (const auto real = wire::parseNumber(digits)) add(*real);
    else add(nullptr);
  }
  void word(std::string_view word) { add(word == "null" ? nlohmann::json() : nlohmann::json(word == "true")); }

  const nlohmann::json& value() const { return m_value; }

 private:
  static constexpr std::size_t kMost = 4'000'000;  // values; a hostile file may have any number

  // A container stays where it is while it is open: nothing is added beside it meanwhile.
  nlohmann::json* add(nlohmann::json value) {
    auto* outer = m_open.back();
    if (!outer || ++m_kept > kMost) return nullptr;
    if (outer->is_object()) return &((*outer)[m_key] = std::move(value));
    outer->push_back(std::move(value));
    return &outer->back();
  }

  nlohmann::json m_value;
  std::vector<nlohmann::json*> m_open;  // nullptr: beyond what is kept
  std::string m_key;
  std::size_t m_kept = 0;
};

}  // namespace atelier::trace
