#include "run_event.h"

#include "number.h"

namespace atelier::wire {
namespace {

using nlohmann::json;

// A number that does not fit the type is as good as none.
template <class T>
T integerOr(const json& value, T fallback) {
  if (!value.is_number()) return fallback;
  const auto number = value.get<double>();
  constexpr double kLimit = sizeof(T) == 4 ? 2147483647.0 : 9.2e18;
  return number >= -kLimit && number <= kLimit ? value.get<T>() : fallback;
}

template <class T>
T at(const json& object, const char* key, T fallback = {}) {
  const auto found = object.find(key);
  if (found == object.end()) return fallback;
  if constexpr (std::is_same_v<T, bool>) return found->is_boolean() ? found->template get<bool>() : fallback;
  else if constexpr (std::is_integral_v<T>) return integerOr<T>(*found, fallback);

  else return found->is_string() ? found->template get<T>() : fallback;
}

json child(const json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? json() : *found;
}

void write(json& o, const RunStarted& e) {
  o["kind"] = "started";
  o["run_id"] = e.run_id;
  o["spec"] = e.spec;
  o["environment"] = e.environment;
  o["planned_steps"] = e.planned_steps;
  o["warmup_steps"] = e.warmup_steps;
  o["blocks"] = e.blocks;
  o["notices"] = toJson(e.notices);
}
void write(json& o, const PhaseChanged& e) {
  o["kind"] = "phase";
  o["phase"] = e.phase;
}
void write(json& o, const Progress& e) {
  o["kind"] = "progress";
  o["step"] = e.step;
  o["planned_steps"] = e.planned_steps;
  o["measured"] = e.measured;
  putNumber(o, "samples_per_second", e.samples_per_second);
  putNumber(o, "loss", e.loss);
  putNumber(o, "learning_rate", e.learning_rate);
  putNumber(o, "queue", e.queue);
  putNumber(o, "waiting", e.waiting);
}
void write(json& o, const MemorySampled& e) {
  o["kind"] = "memory";
  o["live"] = toJson(e.live);
  o["peak"] = toJson(e.peak);
  if (e.budget_bytes > 0) o["budget_bytes"] = e.budget_bytes;
}
void write(json& o, const SystemSampled& e) {
  o["kind"] = "system";
  putNumber(o, "cpu_percent", e.cpu_percent);
  putNumber(o, "others_percent", e.others_percent);
  putNumber(o, "steal_percent", e.steal_percent);
  o["rss_bytes"] = e.rss_bytes;
}
void write(json& o, const BlockDone& e) {
  o["kind"] = "block";
  o["block"] = e.block;
  o["steps"] = e.steps;
  o["samples"] = e.samples;
  putNumber(o, "seconds", e.seconds);
  putNumber(o, "samples_per_second", e.samples_per_second);
  o["stages"] = toJson(e.stages);
  putNumber(o, "loss", e.loss);
  o["disturbed"] = e.disturbed;
  if (!e.reason.empty()) o["reason"] = e.reason;
}
void write(json& o, const EpochDone& e) {
  o["kind"] = "epoch";
  o["epoch"] = e.epoch;
  o["step"] = e.step;
  o["samples"] = e.samples;
  putNumber(o, "train_loss", e.train_loss);
  putNumber(o, "loss", e.loss);
  putNumber(o, "accuracy", e.accuracy);
}
void write(json& o, const RaceUpdated& e) {
  o["kind"] = "race";
  o["ratio"] = toJson(e.ratio);
  o["verdict"] = e.verdict;
  o["pairs"] = e.pairs;
  o["discarded_pairs"] = e.discarded_pairs;
  o["planned_pairs"] = e.planned_pairs;
  o["of"] = e.variant;
  o["decided"] = e.decided;
}
void write(json& o, const Noticed& e) {
  o["kind"] = "notice";
  o["messages"] = toJson(std::vector<Message>{e.message});
  o["severity"] = e.severity;
}
void write(json& o, const RunFinished& e) {
  o["kind"] = "finished";
  o["summary"] = toJson(e.summary);
}
void write(json& o, const RaceFinished& e) {
  o["kind"] = "race_finished";
  o["race"] = toJson(e.race);
}
void write(json& o, const SweepStarted& e) {
  o["kind"] = "sweep_started";
  o["id"] = e.id;
  o["axes"] = toJson(e.axes);
  o["points"] = e.points;
}
void write(json& o, const SweepFinished& e) {
  o["kind"] = "sweep_finished";
  o["sweep"] = toJson(e.sweep);
}
void write(json& o, const RunFailed& e) {
  o["kind"] = "failed";
  o["code"] = static_cast<int>(e.code);
  o["messages"] = toJson(e.messages);
}
void write(json& o, const HealthSampled& e) {
  o["kind"] = "health";
  o["health"] = toJson(e.health);
}
void write(json& o, const GradientsSampled& e) {
  o["kind"] = "gradients";
  o["gradients"] = toJson(e.gradients);
}
void write(json& o, const Profiled& e) {
  o["kind"] = "profile";
  o["steps"] = e.steps;
  o["wall_ns"] = e.wall_ns;
  o["events"] = e.events;
  o["cut"] = e.cut;
}
void write(json& o, const ScaleChanged& e) {
  o["kind"] = "scale";
  o["step"] = e.step;
  putNumber(o, "was", e.was);
  putNumber(o, "is", e.is);
  o["reason"] = e.reason;
}
void write(json& o, const CheckpointWritten& e) {
  o["kind"] = "checkpoint";
  o["step"] = e.step;
  o["file"] = e.file;
  o["bytes"] = e.bytes;
  putNumber(o, "milliseconds", e.milliseconds);
}
void write(json& o, const RolledBack& e) {
  o["kind"] = "rolled_back";
  o["step"] = e.step;
  o["to"] = e.to;
  o["reason"] = e.reason;
}
void write(json& o, const Answered& e) {
  o["kind"] = "answer";
  o["verb"] = e.verb;
  o["answer"] = e.answer;
}
void write(json& o, const UnknownEvent& e) {
  if (e.raw.is_object()) o = e.raw;
}

// What was looked at or done between steps; and kinds that are not known.
EventBody readLooks(const std::string& kind, const json& o) {
  if (kind == "health") return HealthSampled{healthFromJson(child(o, "health"))};
  if (kind == "gradients") return GradientsSampled{gradientsFromJson(child(o, "gradients"))};
  if (kind == "profile")
    return Profiled{at<std::int64_t>(o, "steps"), at<std::int64_t>(o, "wall_ns"), at<std::int64_t>(o, "events"),
                    at<std::int64_t>(o, "cut")};
  if (kind == "scale")
    return ScaleChanged{at<std::int64_t>(o, "step"), getNumber(o, "was").value_or(0), getNumber(o, "is").value_or(0),
                        at<std::string>(o, "reason")};
  if (kind == "checkpoint")
    return CheckpointWritten{at<std::int64_t>(o, "step"), at<std::string>(o, "file"), at<std::int64_t>(o, "bytes"),
                             getNumber(o, "milliseconds").value_or(0)};
  if (kind == "rolled_back")
    return RolledBack{at<std::int64_t>(o, "step"), at<std::int64_t>(o, "to"), at<std::string>(o, "reason")};
  if (kind == "answer") return Answered{at<std::string>(o, "verb"), child(o, "answer")};
  return UnknownEvent{kind, o};
}

EventBody readBody(const std::string& kind, const json& o) {
  if (kind == "started")
    return RunStarted{at<std::string>(o, "run_id"),
                      child(o, "spec"),
                      child(o, "environment"),
                      at<std::int64_t>(o, "planned_steps"),
                      at<std::int64_t>(o, "warmup_steps"),
                      at<std::int64_t>(o, "blocks"),
                      messagesFromJson(child(o, "notices"))};
  if (kind == "phase") return PhaseChanged{at<std::string>(o, "phase")};
  if (kind == "progress")
    return Progress{at<std::int64_t>(o, "step"), at<std::int64_t>(o, "planned_steps"),
                    at<bool>(o, "measured"),     getNumber(o, "samples_per_second").value_or(0),
                    getNumber(o, "loss"),        getNumber(o, "learning_rate").value_or(0),
                    getNumber(o, "queue"),       getNumber(o, "waiting")};
  if (kind == "memory")
    return MemorySampled{memoryFromJson(child(o, "live")), memoryFromJson(child(o, "peak")),
                         at<std::int64_t>(o, "budget_bytes")};
  if (kind == "system")
    return SystemSampled{getNumber(o, "cpu_percent").value_or(0), getNumber(o, "others_percent").value_or(0),
                         getNumber(o, "steal_percent").value_or(0), at<std::int64_t>(o, "rss_bytes")};
  if (kind == "block")
    return BlockDone{at<std::int64_t>(o, "block"),
                     at<std::int64_t>(o, "steps"),
                     at<std::int64_t>(o, "samples"),
                     getNumber(o, "seconds").value_or(0),
                     getNumber(o, "samples_per_second").value_or(0),
                     stagesFromJson(child(o, "stages")),
                     getNumber(o, "loss"),
                     at<bool>(o, "disturbed"),
                     at<std::string>(o, "reason")};
  if (kind == "epoch")
    return EpochDone{at<std::int64_t>(o, "epoch"), at<std::int64_t>(o, "step"), at<std::int64_t>(o, "samples"),
                     getNumber(o, "train_loss"),   getNumber(o, "loss"),        getNumber(o, "accuracy").value_or(0)};
  if (kind == "race")
    return RaceUpdated{intervalFromJson(child(o, "ratio")).value_or(Interval{}),
                       at<std::string>(o, "verdict"),
                       at<int>(o, "pairs"),
                       at<int>(o, "discarded_pairs"),
                       at<int>(o, "planned_pairs"),
                       at<std::string>(o, "of", "b"),
                       at<bool>(o, "decided")};
  if (kind == "notice") {
    auto messages = messagesFromJson(child(o, "messages"));
    return Noticed{messages.empty() ? Message{} : messages.front(), at<std::string>(o, "severity", "info")};
  }
  if (kind == "finished") return RunFinished{runSummaryFromJson(child(o, "summary"))};
  if (kind == "race_finished") return RaceFinished{raceSummaryFromJson(child(o, "race"))};
  if (kind == "sweep_started")
    return SweepStarted{at<std::string>(o, "id"), sweepAxesFromJson(child(o, "axes")), at<int>(o, "points")};
  if (kind == "sweep_finished") return SweepFinished{sweepSummaryFromJson(child(o, "sweep"))};
  if (kind == "failed") return RunFailed{static_cast<ExitCode>(at<int>(o, "code", 3)), messagesFromJson(child(o, "messages"))};
  return readLooks(kind, o);
}

}  // namespace

std::string encodeEvent(const RunEvent& event) {
  auto object = json::object();
  std::visit([&](const auto& body) { write(object, body); }, event.body);
  if (!std::holds_alternative<UnknownEvent>(event.body)) {
    object["v"] = kEventVersion;
    object["rank"] = event.rank;
    object["t"] = event.t;
    if (!event.variant.empty()) object["variant"] = event.variant;
  }
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<RunEvent> decodeEvent(std::string_view line) {
  const auto object = parseJson(line);
  if (!object || !object->is_object() || !object->contains("kind") || !(*object)["kind"].is_string())
    return Error{ExitCode::Failed, {"event.malformed", {{"line", std::string(line.substr(0, 80))}}}};
  if (at<std::int64_t>(*object, "v", kEventVersion) > kEventVersion)
    return Error{ExitCode::Failed, {"event.version", {{"version", std::to_string(at<std::int64_t>(*object, "v"))}}}};
  RunEvent event;
  event.rank = at<int>(*object, "rank");
  event.t = at<std::int64_t>(*object, "t");
  event.variant = at<std::string>(*object, "variant");
  event.body = readBody((*object)["kind"].get<std::string>(), *object);
  return event;
}

}  // namespace atelier::wire
