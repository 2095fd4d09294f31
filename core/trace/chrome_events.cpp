#include "chrome_events.h"

#include <algorithm>
#include <charconv>

#include "chrome_kinds.h"
#include "core/wire/number.h"
#include "finish.h"
#include "index.h"
#include "micros.h"
#include "saturating.h"

namespace atelier::trace {
namespace {

constexpr std::size_t kMostArguments = 1 << 14, kMostScalars = 1 << 12, kMostThreadNames = 100'000, kLongestLabel = 256;
constexpr std::int64_t kMostTime = std::int64_t{1} << 61, kMostDevices = 4096;
constexpr std::size_t kLost = SIZE_MAX;  // a begin that is not kept, so that its end finds something

std::string_view textOf(const Slot& slot) {
  return slot.there ? std::string_view(slot.text) : std::string_view();
}

std::int64_t integerOf(const Slot& slot, std::int64_t otherwise) {
  return wire::parseInteger(textOf(slot)).value_or(otherwise);
}

std::optional<std::uint64_t> addressOf(const Slot& slot) {
  const auto text = textOf(slot);
  std::uint64_t address = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), address);
  if (!text.empty() && error == std::errc() && stop == text.data() + text.size()) return address;
  const auto negative = wire::parseInteger(text);
  return negative ? std::optional(static_cast<std::uint64_t>(*negative)) : std::nullopt;
}

// At most that many bytes, with no character cut in two.
std::string shortened(std::string_view text) {
  auto size = std::min(text.size(), kLongestLabel);
  while (size > 0 && size < text.size() && (text[size] & 0xC0) == 0x80) --size;
  return std::string(text.substr(0, size));
}

// The number of "1216" and of "stream 7"; 0 when there is none.
std::int64_t numberIn(std::string_view text) {
  if (const auto whole = wire::parseInteger(text)) return *whole;
  const auto before = text.find_last_not_of("0123456789");
  return wire::parseInteger(text.substr(before == std::string_view::npos ? 0 : before + 1)).value_or(0);
}

// Processes that are none: of the profiler's own spans and marks.
bool isNoProcess(const Slot& process) {
  return process.there && (process.text.empty() || process.text == "Spans" || process.text == "Traces");
}

bool isIgnored(const RawEvent& raw) {
  return isNoProcess(raw.process) || isIgnoredCategory(textOf(raw.category));
}

// Types of arguments that are no dtype.
bool isTensorType(std::string_view type) {
  for (const char* other : {"", "Scalar", "ScalarList", "TensorList", "GenericList"})
    if (type == other) return false;
  return true;
}

int deviceOf(const RawEvent& raw) {
  const auto device = integerOf(raw.device, integerOf(raw.process, 0));
  return device >= 0 && device < kMostDevices ? static_cast<int>(device) : 0;
}

int memoryDeviceOf(const RawEvent& raw) {
  const auto device = integerOf(raw.deviceId, 0);
  if (integerOf(raw.deviceType, 0) == 0) return -1;
  return device >= 0 && device < kMostDevices ? static_cast<int>(device) : 0;
}

Category categoryNamed(std::string_view name) {
  for (std::size_t i = 0; i < kCategories; ++i)
    if (categoryName(static_cast<Category>(i)) == name) return static_cast<Category>(i);
  return Category::Unknown;
}

}  // namespace

void EventTaker::take(const RawEvent& raw) {
  const auto phase = textOf(raw.phase);
  if (phase == "X") takeComplete(raw);
  else if (phase == "B") takeBegin(raw);
  else if (phase == "E") takeEnd(raw);
  else if (phase == "M") takeMetadata(raw);
  else if (phase == "i" && textOf(raw.name) == "[memory]") takeMemory(raw);
  else if (phase.empty()) skip();
  // Flows join what correlation and sequence numbers join too; counters and marks say nothing that is kept.
}

// The clock of other programs counts from their start; ours may begin before what is looked at.
std::optional<std::int64_t> EventTaker::startOf(const RawEvent& raw) const {
  const auto start = nanosecondsOf(textOf(raw.time));
  return start && (m_ours || *start >= 0) ? start : std::nullopt;
}

bool EventTaker::isFull() const {
  return static_cast<std::int64_t>(m_trace.events.size()) >= m_limits.events;
}

bool EventTaker::fits(std::int64_t duration) {
  if (duration > kMostTime - m_time) return false;
  m_time += duration;
  return true;
}

void EventTaker::takeComplete(const RawEvent& raw) {
  if (isIgnored(raw)) return;
  const auto start = startOf(raw), duration = nanosecondsOf(textOf(raw.duration));
  if (!start || !duration || *duration < 0 || !raw.name.there || isFull() || !fits(*duration)) return skip();
  m_trace.events.push_back(eventOf(raw, *start, *duration));
}

void EventTaker::takeBegin(const RawEvent& raw) {
  auto& begun = m_begun[trackOf(raw, false)];
  const auto start = startOf(raw);
  const bool kept = !isIgnored(raw) && start && raw.name.there && !isFull();
  begun.push_back(kept ? m_trace.events.size() : kLost);
  if (kept) m_trace.events.push_back(eventOf(raw, *start, -1));
  else if (!isIgnored(raw)) skip();
}

void EventTaker::takeEnd(const RawEvent& raw) {
  auto& begun = m_begun[trackOf(raw, false)];
  if (begun.empty()) return skip();
  const auto index = begun.back();
  begun.pop_back();
  if (index == kLost) return;
  auto& event = m_trace.events[index];
  const auto end = nanosecondsOf(textOf(raw.time));
  if (end && *end >= event.start && fits(*end - event.start)) event.duration = *end - event.start;
}

void EventTaker::takeMemory(const RawEvent& raw) {
  const auto time = startOf(raw);
  const auto bytes = wire::parseInteger(textOf(raw.memoryBytes));
  const auto address = addressOf(raw.address);
  if (bytes == 0) return;
  if (!time || !bytes || !address || static_cast<std::int64_t>(m_trace.memory.size()) >= m_limits.events) {
    ++m_memoryCut;
    return;
  }
  const auto track = textOf(raw.outside) == "true" ? -1 : trackOf(raw, false);
  m_trace.memory.push_back({*time, *bytes, *address, track, memoryDeviceOf(raw), categoryNamed(textOf(raw.memoryCategory))});
}

void EventTaker::takeMetadata(const RawEvent& raw) {
  if (textOf(raw.name) != "thread_name" || m_threadNames.size() >= kMostThreadNames) return;
  m_key.assign(textOf(raw.process)).append("\n").append(textOf(raw.thread));
  m_threadNames.insert_or_assign(m_key, shortened(textOf(raw.label)));
}

Event EventTaker::eventOf(const RawEvent& raw, std::int64_t start, std::int64_t duration) {
  Event event;
  event.start = start;
  event.duration = duration;
  const auto name = textOf(raw.fullName.there ? raw.fullName : raw.name);
  event.kind = kindNamed(textOf(raw.kind)).value_or(kindOf(textOf(raw.category), name));
  event.track = trackOf(raw, event.kind == Kind::Kernel || event.kind == Kind::Copy || event.kind == Kind::Set);
  event.name = m_trace.name(name);
  event.detail = detailOf(raw);
  event.correlation = integerOf(raw.correlation, 0);
  event.sequence = std::max<std::int64_t>(integerOf(raw.sequence, -1), -1);
  event.bytes = std::max<std::int64_t>(integerOf(raw.bytes, -1), -1);
  event.stage = stageOf(textOf(raw.stage));
  event.backward = textOf(raw.backward) == "true";
  if (raw.module.there && raw.module.text.size() <= kLongestPath)
    event.module = m_trace.module(raw.module.text, textOf(raw.moduleType));
  return event;
}

std::int32_t EventTaker::detailOf(const RawEvent& raw) {
  Detail detail;
  detail.stack = textOf(raw.stack);
  const auto arguments = std::max({raw.dims.arguments(), raw.types.size(), raw.concrete.size()});
  for (std::size_t i = 0; i < std::min(arguments, kMostArguments); ++i) {
    const auto type = raw.types[i], text = raw.concrete[i];
    const bool untyped = raw.types.size() == 0 && raw.dims.hasSizes(i);  // traces of old name no types
    if (isTensorType(type) || untyped || raw.dims.isList(i)) {
      const bool dtype = isTensorType(type) && type != "Tensor";  // a list's is not told
      raw.dims.append(i, dtype ? std::string(type) : std::string(), detail);
    } else if (detail.scalars.size() < kMostScalars && (type.empty() ? !text.empty() : i < raw.concrete.size())) {
      detail.scalars.emplace_back(text);
    }
  }
  if (detail.inputs.empty() && detail.scalars.empty() && detail.stack.empty()) return -1;
  return m_details.add(std::move(detail));
}

std::int32_t EventTaker::trackOf(const RawEvent& raw, bool device) {
  // A container's first process has the number of a GPU: what runs on a device is kept apart.
  const std::string_view suffix = device ? "\nd" : "\nh";
  m_key.assign(textOf(raw.process)).append("\n").append(textOf(raw.thread)).append(suffix);
  if (m_key == m_lastKey && m_lastTrack >= 0) return m_lastTrack;
  const auto known = m_known.find(m_key.substr(0, m_key.size() - suffix.size()));
  if (known != m_known.end()) {
    m_lastTrack = known->second;
  } else {
    const auto [found, added] = m_tracks.try_emplace(m_key, 0);
    if (added) found->second = newTrack(raw, device);
    m_lastTrack = found->second;
  }
  m_lastKey = m_key;
  return m_lastTrack;
}

std::int32_t EventTaker::newTrack(const RawEvent& raw, bool device) {
  const auto process = textOf(raw.process), thread = textOf(raw.thread);
  m_trace.tracks.push_back({"", numberIn(process), numberIn(thread), device ? deviceOf(raw) : -1});
  m_places.push_back({std::string(process), std::string(thread)});
  return idOf(m_trace.tracks.size() - 1);
}

Trace EventTaker::finish() {
  dropUnended();
  if (!m_ours) beginAtZero();
  nameTracks();
  nameDevice();
  if (!m_ours) m_trace.origin = "pytorch";
  m_trace.events_cut = addSaturating(m_trace.events_cut, m_cut);
  m_trace.memory_cut = addSaturating(m_trace.memory_cut, m_memoryCut);
  m_trace.details = m_details.take();
  m_trace.finish();
  return std::move(m_trace);
}

void EventTaker::dropUnended() {
  m_cut += static_cast<std::int64_t>(std::erase_if(m_trace.events, [](const Event& event) { return event.duration < 0; }));
}

void EventTaker::beginAtZero() {
  std::int64_t first = INT64_MAX;
  for (const auto& event : m_trace.events) first = std::min(first, event.start);
  for (const auto& change : m_trace.memory) first = std::min(first, change.time);
  for (auto& event : m_trace.events) event.start -= first;
  for (auto& change : m_trace.memory) change.time -= first;
}

void EventTaker::nameTracks() {
  for (std::size_t i = 0; i < m_places.size(); ++i) {
    const auto& [process, thread] = m_places[i];
    auto& track = m_trace.tracks[i];
    if (process.empty() && thread.empty()) continue;
    const auto named = m_threadNames.find(process + '\n' + thread);
    if (named != m_threadNames.end()) track.name = named->second;
    while (track.name.ends_with(' ')) track.name.pop_back();
    if (!track.name.empty()) continue;
    if (!wire::parseInteger(thread)) track.name = shortened(thread);
    else track.name = (track.device < 0 ? "thread " : "stream ") + thread;
  }
}

void EventTaker::nameDevice() {
  if (!m_trace.device.empty()) return;
  for (const auto& track : m_trace.tracks)
    for (const auto& [id, name] : m_devices)
      if (m_trace.device.empty() && track.device >= 0 && track.device == id) m_trace.device = name;
}

}  // namespace atelier::trace
