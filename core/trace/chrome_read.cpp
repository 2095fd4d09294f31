#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "chrome_events.h"
#include "chrome_json.h"
#include "json_capture.h"
#include "json_scan.h"
#include "packed_file.h"

namespace atelier::trace {
namespace {

constexpr std::size_t kDeepest = 64;

// Follows where in the file a value stands.
class ChromeSink : public JsonSink {
 public:
  explicit ChromeSink(const ReadLimits& limits) : m_taker(limits) {}

  // Whether the text was a trace at all.
  bool isTrace() const { return m_isTrace; }
  Trace finish() { return m_taker.finish(); }

  void open(bool object) override {
    const auto where = m_where.empty() ? (object ? Where::Top : Where::Events) : whereInside(object);
    if (where == Where::Capture) m_capture.open(object);
    m_where.push_back(where);
  }

  void close() override {
    const auto where = m_where.back();
    m_where.pop_back();
    if (where == Where::Event) m_taker.take(m_raw);
    if (where == Where::Capture && m_capture.close()) captured();
  }

  void key(std::string_view text) override {
    switch (m_where.back()) {
      case Where::Top:
        m_key = text;
        break;
      case Where::Event:
        m_slot = m_raw.member(text);
        m_isArguments = text == "args";
        break;
      case Where::Arguments:
        m_slot = m_raw.argument(text);
        m_list = m_slot ? Where::Ignored : listOf(text);
        break;
      case Where::Capture:
        m_capture.key(text);
        break;
      default:
        break;
    }
  }

  void text(std::string_view text) override {
    if (scalar(text)) return;
    if (m_where.back() == Where::Top && m_key == "traceName") m_taker.takeTitle(text);
    if (m_where.back() == Where::Capture) m_capture.text(text);
  }

  void number(std::string_view digits) override {
    if (scalar(digits)) return;
    const auto where = m_where.back();
    if (where == Where::Sizes || where == Where::ListedSizes) m_raw.dims.add(wire::parseInteger(digits).value_or(0));
    if (where == Where::Dims) m_raw.dims.beginArgument();
    if (where == Where::Capture) m_capture.number(digits);
  }

  void word(std::string_view word) override {
    if (m_where.empty()) return;
    const auto where = m_where.back();
    const bool null = word == "null";
    if (where == Where::Capture) m_capture.word(word);
    else if (!null || (where != Where::Event && where != Where::Arguments)) scalar(null ? std::string_view() : word);
  }

 private:
  enum class Where { Top, Events, Event, Arguments, Dims, Sizes, ListedSizes, Types, Concrete, Capture, Ignored };

  Where whereInside(bool object) {
    switch (m_where.back()) {
      case Where::Top:
        return whereInTop(object);
      case Where::Events:
        return object ? beginEvent() : notAnEvent();
      case Where::Event:
        return object && m_isArguments ? Where::Arguments : Where::Ignored;
      case Where::Arguments:
        return object ? Where::Ignored : beginList();
      case Where::Dims:
        m_raw.dims.beginArgument();
        return object ? Where::Ignored : Where::Sizes;
      case Where::Sizes:
        if (object) return Where::Ignored;
        m_raw.dims.beginTensor();
        return Where::ListedSizes;
      case Where::Types:
        m_raw.types.add({});
        return Where::Ignored;
      case Where::Concrete:
        m_raw.concrete.add({});
        return Where::Ignored;
      case Where::Capture:
        return Where::Capture;
      default:
        return Where::Ignored;
    }
  }

  Where whereInTop(bool object) {
    if (m_key == "atelier" || m_key == "deviceProperties") return Where::Capture;
    if (object || m_key != "traceEvents") return Where::Ignored;
    m_isTrace = true;
    return Where::Events;
  }

  Where beginEvent() {
    m_raw.clear();
    m_slot = nullptr;
    m_isArguments = false;
    return Where::Event;
  }

  Where notAnEvent() {
    m_taker.skip();
    return Where::Ignored;
  }

  static Where listOf(std::string_view key) {
    if (key == "Input Dims") return Where::Dims;
    if (key == "Input type") return Where::Types;
    return key == "Concrete Inputs" ? Where::Concrete : Where::Ignored;
  }

  // A key that stands twice is that of what stands there last.
  Where beginList() {
    if (m_list == Where::Dims) m_raw.dims.clear();
    if (m_list == Where::Types) m_raw.types.clear();
    if (m_list == Where::Concrete) m_raw.concrete.clear();
    return m_list;
  }

  // True when it was a value of an event.
  bool scalar(std::string_view value) {
    if (m_where.empty()) return true;
    const auto where = m_where.back();
    if (where == Where::Event || where == Where::Arguments) {
      if (m_slot) m_slot->put(value);
      m_isTrace = m_isTrace || m_slot == &m_raw.phase;  // an array without a head, but of events
      return true;
    }
    if (where == Where::Types) m_raw.types.add(value);
    if (where == Where::Concrete) m_raw.concrete.add(value);
    if (where == Where::Events) m_taker.skip();
    return where == Where::Types || where == Where::Concrete || where == Where::Events;
  }

  void captured() {
    if (m_key == "atelier") m_taker.takeHead(m_capture.value());
    else m_taker.takeDevices(m_capture.value());
  }

  EventTaker m_taker;
  RawEvent m_raw;
  JsonCapture m_capture;
  std::vector<Where> m_where;  // of each open object and array
  std::string m_key;           // of the outermost object
  Slot* m_slot = nullptr;      // where the value that comes next goes
  Where m_list = Where::Ignored;
  bool m_isArguments = false;
  bool m_isTrace = false;
};

wire::Error error(const char* id, const std::string& file, std::vector<std::pair<std::string, std::string>> args = {}) {
  args.insert(args.begin(), {"file", file});
  return {wire::ExitCode::Usage, wire::Message{id, std::move(args)}};
}

wire::Error tooLarge(const std::string& file, const ReadLimits& limits) {
  return error("trace.too_large", file, {{"limit", std::to_string(limits.bytes)}});
}

wire::Error errorOf(const JsonFault& fault, const std::string& file) {
  const auto at = std::to_string(fault.at);
  if (fault.kind == JsonFault::Kind::Ended) return error("trace.truncated", file, {{"at", at}});
  if (fault.kind == JsonFault::Kind::TooDeep) return error("trace.too_deep", file, {{"limit", std::to_string(kDeepest)}});
  return error("trace.malformed", file, {{"why", fault.found}, {"at", at}});
}

wire::Result<Trace> result(ChromeSink& sink, const JsonFault& fault, const std::string& file) {
  if (fault.kind != JsonFault::Kind::None) return errorOf(fault, file);
  if (!sink.isTrace()) return error("trace.not_a_trace", file);
  return sink.finish();
}

}  // namespace

wire::Result<Trace> readChromeTrace(const std::filesystem::path& file, const ReadLimits& limits,
                                    const std::function<bool(double)>& progress) {
  auto opened = PackedReader::open(file, limits.bytes, progress);
  if (!opened) return opened.error();
  auto& reader = **opened;
  ChromeSink sink(limits);
  const auto fault = JsonScanner([&reader] { return reader.next(); }, sink, kDeepest).run();
  switch (reader.end()) {
    case PackedReader::End::TooLarge:
      return tooLarge(file.string(), limits);
    case PackedReader::End::Damaged:
      return error("trace.damaged", file.string(), {{"reason", reader.reason()}});
    case PackedReader::End::Cancelled:
      return wire::Error{wire::ExitCode::Interrupted, wire::Message{"trace.cancelled", {{"file", file.string()}}}};
    case PackedReader::End::None:
      break;
  }
  return result(sink, fault, file.string());
}

wire::Result<Trace> readChromeTraceText(std::string_view text, const ReadLimits& limits) {
  const std::string nameless = "-";
  if (static_cast<std::int64_t>(text.size()) > limits.bytes) return tooLarge(nameless, limits);
  ChromeSink sink(limits);
  const auto fault = JsonScanner([&text] { return std::exchange(text, {}); }, sink, kDeepest).run();
  return result(sink, fault, nameless);
}

}  // namespace atelier::trace
