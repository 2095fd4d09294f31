#include <algorithm>
#include <limits>

#include "chrome_events.h"
#include "chrome_head.h"
#include "core/wire/json_read.h"
#include "finish.h"
#include "index.h"
#include "json_text.h"
#include "memory_account.h"

namespace atelier::trace {
namespace {

std::int64_t integerIn(const nlohmann::json& value, std::int64_t otherwise = 0) {
  return value.is_number_integer() ? value.get<std::int64_t>() : otherwise;
}

std::int64_t countIn(const nlohmann::json& value) {
  return std::max<std::int64_t>(integerIn(value), 0);
}

void append(std::string& text, std::string_view key, std::int64_t value) {
  text += key;
  appendInteger(text, value);
}

// With these a reader gives everything the number that it has here.
void appendTables(std::string& text, const Trace& trace, const std::vector<std::int64_t>& threads) {
  text += ",\n\"names\":[";
  for (std::size_t i = 0; i < trace.names.size(); ++i) text += (i > 0 ? "," : "") + jsonText(trace.names[i]);
  text += "],\n\"modules\":[";
  for (std::size_t i = 0; i < trace.modules.size(); ++i)
    text += (i > 0 ? ",[" : "[") + jsonText(trace.modules[i].path) + "," + jsonText(trace.modules[i].type) + "]";
  text += "],\n\"tracks\":[";
  for (std::size_t i = 0; i < trace.tracks.size(); ++i) {
    const auto& track = trace.tracks[i];
    append(text, i > 0 ? ",[" : "[", track.process);
    append(text, ",", threads[i]);
    append(text, ",", track.process);
    append(text, ",", track.id);
    append(text, ",", track.device);
    text += "," + jsonText(track.name) + "]";
  }
  text += ']';
}

std::string textIn(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

}  // namespace

std::string headText(const Trace& trace, const std::vector<std::int64_t>& threads) {
  std::string text = "{\"schemaVersion\":1,\"deviceProperties\":[";
  if (!trace.device.empty()) {
    append(text, "{\"id\":", std::max(homeDevice(trace), 0));
    text += ",\"name\":" + jsonText(trace.device) + "}";
  }
  text += "],\"displayTimeUnit\":\"ms\",\"traceName\":" + jsonText(trace.title);
  text += ",\n\"atelier\":{\"version\":1,\"origin\":" + jsonText(trace.origin) + ",\"title\":" + jsonText(trace.title);
  text += ",\"device\":" + jsonText(trace.device);
  append(text, ",\"events_cut\":", trace.events_cut);
  append(text, ",\"memory_cut\":", trace.memory_cut);
  text += ",\"memory_at_start\":";
  for (std::size_t i = 0; i < kCategories; ++i) {
    text.append(i > 0 ? ",\"" : "{\"").append(categoryName(static_cast<Category>(i)));
    append(text, "\":", trace.memory_at_start.bytes[i]);
  }
  text += '}';
  appendTables(text, trace, threads);
  return text + "}";
}

void EventTaker::takeHead(const nlohmann::json& head) {
  if (!head.is_object()) return;
  m_ours = true;
  m_trace.origin = wire::textAt(head, "origin") == "pytorch" ? "pytorch" : "atelier";
  m_trace.title = wire::textAt(head, "title");
  m_trace.device = wire::textAt(head, "device");
  m_trace.events_cut = countIn(wire::memberAt(head, "events_cut"));
  m_trace.memory_cut = countIn(wire::memberAt(head, "memory_cut"));
  const auto live = wire::memberAt(head, "memory_at_start");
  for (std::size_t i = 0; i < kCategories; ++i) {
    const std::string category(categoryName(static_cast<Category>(i)));
    m_trace.memory_at_start.bytes[i] = countIn(wire::memberAt(live, category.c_str()));
  }
  // A head that comes late can't number what has been numbered.
  if (m_trace.events.empty() && m_trace.tracks.empty()) takeTables(head);
}

void EventTaker::takeTables(const nlohmann::json& head) {
  for (const auto& name : wire::memberAt(head, "names"))
    if (name.is_string()) m_trace.name(name.get_ref<const std::string&>());
  for (const auto& module : wire::memberAt(head, "modules")) {
    if (!module.is_array() || module.size() != 2) continue;
    const auto path = textIn(module[0]);
    if (path.size() <= kLongestPath) m_trace.module(path, textIn(module[1]));
  }
  takeTracks(wire::memberAt(head, "tracks"));
}

void EventTaker::takeTracks(const nlohmann::json& tracks) {
  for (const auto& entry : tracks) {
    if (!entry.is_array() || entry.size() != 6) continue;
    const auto key = std::to_string(integerIn(entry[0])) + '\n' + std::to_string(integerIn(entry[1]));
    if (!m_known.try_emplace(key, idOf(m_trace.tracks.size())).second) continue;
    const auto device = std::clamp<std::int64_t>(integerIn(entry[4], -1), -1, std::numeric_limits<std::int16_t>::max());
    m_trace.tracks.push_back({textIn(entry[5]), integerIn(entry[2]), integerIn(entry[3]), static_cast<int>(device)});
    m_places.emplace_back();
  }
}

void EventTaker::takeDevices(const nlohmann::json& devices) {
  for (const auto& device : devices) {
    if (!device.is_object()) continue;
    const auto id = wire::memberAt(device, "id");
    const auto name = wire::textAt(device, "name");
    if (id.is_number_integer() && !name.empty()) m_devices.emplace_back(id.get<std::int64_t>(), name);
  }
}

}  // namespace atelier::trace
