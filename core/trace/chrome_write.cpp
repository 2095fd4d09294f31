#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "chrome_head.h"
#include "chrome_json.h"
#include "chrome_kinds.h"
#include "index.h"
#include "json_text.h"
#include "links.h"
#include "micros.h"
#include "packed_file.h"
#include "saturating.h"
#include "memory_account.h"

namespace atelier::trace {
namespace {

constexpr std::size_t kFlushed = 1 << 20;
constexpr std::string_view kOurStep = "step ";

// The arguments of an operator, as Kineto writes them: tensors first, then the others, whose places among them are not kept.
std::string detailText(const Detail& detail) {
  std::string dims, types, concrete;
  for (const auto& input : detail.inputs) {
    dims += dims.empty() ? "[" : ",[";
    for (std::size_t i = 0; i < input.sizes.size(); ++i) {
      if (i > 0) dims += ',';
      appendInteger(dims, input.sizes[i]);
    }
    dims += ']';
    types += (types.empty() ? "" : ",") + jsonText(input.dtype.empty() ? "Tensor" : input.dtype);
    concrete += concrete.empty() ? "\"\"" : ",\"\"";
  }
  for (const auto& scalar : detail.scalars) {
    dims += dims.empty() ? "[]" : ",[]";
    types += std::string(types.empty() ? "" : ",") + (scalar.starts_with('[') ? "\"ScalarList\"" : "\"Scalar\"");
    concrete += (concrete.empty() ? "" : ",") + jsonText(scalar);
  }
  std::string text;
  if (!dims.empty()) {
    text = ",\"Input Dims\":[" + dims + "],\"Input type\":[" + types + "]";
    text += ",\"Concrete Inputs\":[" + concrete + "]";
  }
  if (!detail.stack.empty()) text += ",\"Call stack\":" + jsonText(detail.stack);
  return text;
}

class ChromeWriter {
 public:
  // `sink` takes the text piece by piece; false: it can take no more.
  using Sink = std::function<bool(std::string_view)>;

  ChromeWriter(const Trace& trace, Sink sink)
      : m_trace(trace),
        m_sink(std::move(sink)),
        m_launches(trace),
        m_forwards(trace),
        m_nodeNames(nodeNames(trace)),
        m_started(trace.events.size(), 0) {
    for (const auto& name : trace.names) m_names.push_back(jsonText(name));
    for (const auto& module : trace.modules)
      m_modules.push_back(",\"module\":" + jsonText(module.path) + ",\"module type\":" + jsonText(module.type));
    for (const auto& detail : trace.details) m_details.push_back(detailText(detail));
    placeTracks();
  }

  void write() {
    m_text = headText(m_trace, m_threads) + ",\n\"traceEvents\":[\n";
    writeTrackNames();
    for (std::size_t i = 0; i < m_trace.events.size() && m_going; ++i) {
      writeEvent(i);
      writeFlows(i);
      flush(kFlushed);
    }
    writeMemory();
    m_text += "\n]}\n";
    flush(1);
  }

 private:
  // Process and thread of each track in the file: those of the trace where no other track has them.
  void placeTracks() {
    std::set<std::pair<std::int64_t, std::int64_t>> taken;
    for (const auto& track : m_trace.tracks) {
      auto id = track.id;
      while (!taken.emplace(track.process, id).second) id = static_cast<std::int64_t>(static_cast<std::uint64_t>(id) + 1);
      m_threads.push_back(id);
      std::string place = ",\"pid\":";
      appendInteger(place, track.process);
      place += ",\"tid\":";
      appendInteger(place, id);
      m_places.push_back(std::move(place));
    }
  }

  void flush(std::size_t size) {
    if (m_text.size() < size) return;
    m_going = m_going && m_sink(m_text);
    m_text.clear();
  }

  void number(std::string_view key, std::int64_t value) {
    m_text += key;
    appendInteger(m_text, value);
  }

  void time(std::string_view key, std::int64_t value) {
    m_text += key;
    appendMicroseconds(m_text, value);
  }

  void begin(std::string_view entry) {
    if (!m_isFirst) m_text += ",\n";
    m_isFirst = false;
    m_text += entry;
  }

  void writeTrackNames() {
    std::set<std::int64_t> named;
    for (std::size_t i = 0; i < m_trace.tracks.size(); ++i) {
      const auto& track = m_trace.tracks[i];
      if (named.insert(track.process).second) {
        begin("{\"ph\":\"M\",\"name\":\"process_name\"");
        number(",\"pid\":", track.process);
        m_text += ",\"tid\":0,\"args\":{\"name\":";
        m_text += track.device < 0 ? jsonText(m_trace.origin) : "\"GPU " + std::to_string(track.device) + "\"";
        m_text += "}}";
      }
      begin("{\"ph\":\"M\",\"name\":\"thread_name\"");
      m_text += m_places[i] + ",\"args\":{\"name\":" + jsonText(track.name) + "}}";
      begin("{\"ph\":\"M\",\"name\":\"thread_sort_index\"");
      m_text += m_places[i];
      number(",\"args\":{\"sort_index\":", static_cast<std::int64_t>(i));
      m_text += "}}";
    }
  }

  void writeEvent(std::size_t i) {
    const auto& event = m_trace.events[i];
    const auto& name = m_trace.nameOf(event);
    const auto category = chromeCategory(event.kind, name);
    begin("{\"ph\":\"X\",\"cat\":\"");
    m_text += category;
    m_text += "\",\"name\":";
    // The name by which TensorBoard and PyTorch's own tools know a step.
    const bool ourStep = event.kind == Kind::Step && name.starts_with(kOurStep);
    m_text += ourStep ? jsonText("ProfilerStep#" + name.substr(kOurStep.size())) : m_names[at(event.name)];
    m_text += m_places[at(event.track)];
    time(",\"ts\":", event.start);
    time(",\"dur\":", event.duration);
    number(",\"args\":{\"External id\":", externalId(i));
    if (ourStep) m_text += ",\"full name\":" + m_names[at(event.name)];
    if (kindOf(category, name) != event.kind) m_text.append(",\"kind\":\"").append(kindName(event.kind)).append("\"");
    writeLinks(event);
    if (event.module >= 0) m_text += m_modules[at(event.module)];
    if (event.detail >= 0) m_text += m_details[at(event.detail)];
    m_text += "}}";
  }

  // As Kineto numbers operators and ranges; a call and what it starts have the number of what they belong to.
  std::int64_t externalId(std::size_t i) const {
    const auto& event = m_trace.events[i];
    const bool call = event.kind == Kind::Runtime || event.kind == Kind::Synchronize;
    if (call && event.parent >= 0) return event.parent + 1;
    const auto launch = m_trace.onDevice(event) ? m_launches.of(event) : -1;
    return launch >= 0 ? externalId(at(launch)) : static_cast<std::int64_t>(i) + 1;
  }

  // `backward` is not written where finish() finds it again.
  void writeLinks(const Event& event) {
    const bool onDevice = m_trace.onDevice(event);
    const auto outer = onDevice ? m_launches.of(event) : event.parent;
    const auto* around = outer < 0 ? nullptr : &m_trace.events[at(outer)];
    if (event.stage != Stage::None) m_text.append(",\"stage\":\"").append(stageName(event.stage)).append("\"");
    if (event.backward && (!around || !around->backward)) m_text += ",\"backward\":true";
    if (event.sequence >= 0) {
      number(",\"Sequence number\":", event.sequence);
      const auto forward = event.backward && m_forwards.isNode(event) ? m_forwards.of(event) : -1;
      number(",\"Fwd thread id\":", forward < 0 ? 0 : m_trace.events[at(forward)].track + 1);
    }
    if (event.correlation != 0) number(",\"correlation\":", event.correlation);
    if (event.bytes >= 0) number(",\"bytes\":", event.bytes);
    if (!onDevice) return;
    number(",\"device\":", m_trace.tracks[at(event.track)].device);
    number(",\"stream\":", m_trace.tracks[at(event.track)].id);
  }

  void writeFlow(char phase, const char* category, std::int64_t id, const Event& event) {
    begin("{\"ph\":\"");
    m_text += phase;
    m_text.append("\",\"cat\":\"").append(category).append("\",\"name\":\"").append(category).append("\"");
    number(",\"id\":", id);
    m_text += m_places[at(event.track)];
    time(",\"ts\":", event.start);
    m_text += phase == 'f' ? ",\"bp\":\"e\"}" : "}";
  }

  // Arrows from calls to what they started, and from forward operators to their nodes.
  void writeFlows(std::size_t i) {
    const auto& event = m_trace.events[i];
    if (m_trace.onDevice(event)) {
      const auto call = m_launches.of(event);
      if (call < 0) return;
      if (m_started[at(call)] == 0) writeFlow('s', "ac2g", event.correlation, m_trace.events[at(call)]);
      m_started[at(call)] = 1;
      writeFlow('f', "ac2g", event.correlation, event);
    } else if (event.backward && m_forwards.isNode(event) && !isInsideCall(event)) {
      const auto forward = m_forwards.of(event);
      if (forward < 0) return;
      writeFlow('s', "fwdbwd", ++m_flows, m_trace.events[at(forward)]);
      writeFlow('f', "fwdbwd", m_flows, event);
    }
  }

  // The node itself, inside of the engine's call of it: the call has the arrow already.
  bool isInsideCall(const Event& event) const {
    return event.parent >= 0 && m_nodeNames[at(m_trace.events[at(event.parent)].name)] != 0;
  }

  void writeMemory() {
    std::map<int, std::int64_t> live;  // by device
    auto& atStart = live[homeDevice(m_trace)];
    for (const auto bytes : m_trace.memory_at_start.bytes) atStart = addSaturating(atStart, bytes);
    for (const auto& change : m_trace.memory) {
      if (!m_going) return;
      auto& total = live[change.device];
      total = addSaturating(total, change.bytes);
      begin("{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":\"[memory]\"");
      m_text += change.event < 0 ? ",\"pid\":0,\"tid\":0" : m_places[at(m_trace.events[at(change.event)].track)];
      time(",\"ts\":", change.time);
      number(",\"args\":{\"Total Reserved\":0,\"Total Allocated\":", total);
      number(",\"Bytes\":", change.bytes);
      m_text += ",\"Addr\":";
      appendInteger(m_text, change.address);
      number(",\"Device Type\":", change.device < 0 ? 0 : 1);
      number(",\"Device Id\":", change.device);
      if (change.event < 0) m_text += ",\"outside\":true";
      if (change.category != Category::Unknown)
        m_text.append(",\"category\":\"").append(categoryName(change.category)).append("\"");
      m_text += "}}";
      flush(kFlushed);
    }
  }

  const Trace& m_trace;
  Sink m_sink;
  Launches m_launches;
  Forwards m_forwards;
  std::vector<char> m_nodeNames;
  std::vector<char> m_started;  // calls that have their arrow's beginning
  std::vector<std::string> m_names, m_modules, m_details, m_places;
  std::vector<std::int64_t> m_threads;
  std::string m_text;
  std::int64_t m_flows = 0;
  bool m_isFirst = true, m_going = true;
};

}  // namespace

wire::Status writeChromeTrace(const Trace& trace, const std::filesystem::path& file) {
  PackedWriter packed(file, file.extension() != ".json");
  ChromeWriter(trace, [&packed](std::string_view piece) { return packed.write(piece); }).write();
  return packed.commit();
}

std::string chromeTraceText(const Trace& trace) {
  std::string text;
  ChromeWriter(trace, [&text](std::string_view piece) {
    text += piece;
    return true;
  }).write();
  return text;
}

}  // namespace atelier::trace
