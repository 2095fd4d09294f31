// From entries of a Chrome trace to a Trace: what each phase and category means, ours and Kineto's. Entries that can't be used
// are counted, not refused. Internal to the room. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "chrome_json.h"
#include "details.h"
#include "trace.h"

namespace atelier::trace {

// What stands there, as text: a number as its digits.
struct Slot {
  std::string text;
  bool there = false;

  void put(std::string_view what) {
    text.assign(what);
    there = true;
  }
};

// A list of texts that keeps its space.
class Texts {
 public:
  void clear() { m_size = 0; }
  std::size_t size() const { return m_size; }
  void add(std::string_view text) {
    if (m_size == m_texts.size()) m_texts.emplace_back();
    m_texts[m_size++].assign(text);
  }
  // "" beyond the end.
  std::string_view operator[](std::size_t i) const { return i < m_size ? std::string_view(m_texts[i]) : std::string_view(); }

 private:
  std::vector<std::string> m_texts;
  std::size_t m_size = 0;
};

// Sizes of tensors, argument after argument; an argument may be a list of tensors.
class Dims {
 public:
  void clear();
  void beginArgument();
  void beginTensor();  // of a list
  void add(std::int64_t size);
  std::size_t arguments() const { return m_arguments; }
  bool isList(std::size_t argument) const;
  bool hasSizes(std::size_t argument) const;
  // Adds the tensors of an argument to a detail.
  void append(std::size_t argument, const std::string& dtype, Detail& detail) const;

 private:
  struct Tensor {
    std::size_t argument = 0, begin = 0, end = 0;
    bool listed = false;
  };
  std::vector<Tensor>::const_iterator firstOf(std::size_t argument) const;

  std::vector<Tensor> m_tensors;
  std::vector<std::int64_t> m_sizes;
  std::size_t m_arguments = 0;
};

// An entry of "traceEvents"; reused for one after the other.
struct RawEvent {
  Slot phase, category, name, process, thread, time, duration;
  // Of its arguments.
  Slot label, fullName, kind, stage, module, moduleType, backward, stack, sequence, correlation, bytes, device;
  Slot memoryBytes, address, deviceType, deviceId, memoryCategory, outside;
  Texts types, concrete;
  Dims dims;

  void clear();
  // Where the member of that name goes; nullptr: it is not needed.
  Slot* member(std::string_view key);
  Slot* argument(std::string_view key);
};

class EventTaker {
 public:
  explicit EventTaker(const ReadLimits& limits) : m_limits(limits) {}

  // Our own head of the file; it comes before the events that it tells of.
  void takeHead(const nlohmann::json& head);
  void takeDevices(const nlohmann::json& devices);
  void takeTitle(std::string_view title) { m_trace.title = title; }
  void take(const RawEvent& raw);
  void skip() { ++m_cut; }
  // The trace, finish()ed. Once.
  Trace finish();

 private:
  // A track of the file: its process and thread as they stand there; both empty for one that the head has named.
  struct Place {
    std::string process, thread;
  };

  void takeComplete(const RawEvent& raw);
  void takeBegin(const RawEvent& raw);
  void takeEnd(const RawEvent& raw);
  void takeMemory(const RawEvent& raw);
  void takeMetadata(const RawEvent& raw);
  void takeTables(const nlohmann::json& head);
  void takeTracks(const nlohmann::json& tracks);

  std::optional<std::int64_t> startOf(const RawEvent& raw) const;
  bool isFull() const;
  bool fits(std::int64_t duration);
  Event eventOf(const RawEvent& raw, std::int64_t start, std::int64_t duration);
  std::int32_t detailOf(const RawEvent& raw);
  std::int32_t trackOf(const RawEvent& raw, bool device);
  std::int32_t newTrack(const RawEvent& raw, bool device);
  void dropUnended();
  void beginAtZero();
  void nameTracks();
  void nameDevice();

  ReadLimits m_limits;
  Trace m_trace;
  Details m_details;
  bool m_ours = false;
  std::int64_t m_cut = 0, m_memoryCut = 0;
  std::int64_t m_time = 0;  // sum of durations: with a bound no sum over a trace overflows
  std::unordered_map<std::string, std::int32_t> m_tracks, m_known;  // m_known: those that the head names
  std::string m_key, m_lastKey;
  std::int32_t m_lastTrack = -1;
  std::vector<Place> m_places;  // by track
  std::unordered_map<std::string, std::string> m_threadNames;
  std::unordered_map<std::int32_t, std::vector<std::size_t>> m_begun;  // by track: events that have not ended
  std::vector<std::pair<std::int64_t, std::string>> m_devices;
};

}  // namespace atelier::trace
