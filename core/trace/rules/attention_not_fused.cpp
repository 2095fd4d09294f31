// attention_not_fused: attention written out as matmul, softmax, matmul, which makes and moves a matrix of queries by keys.
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "core/trace/rule_tools.h"

namespace atelier::trace {
namespace {

using namespace rules;

constexpr double kLeastShare = 0.05;
// The lower end of what fused attention is reported to bring (two to four times, more with longer sequences).
constexpr double kFaster = 2;

constexpr std::array<std::string_view, 5> kParts{"aten::bmm", "aten::baddbmm", "aten::_softmax", "aten::_softmax_backward_data",
                                                 "aten::masked_fill_"};

bool isPart(std::string_view name) {
  for (const auto part : kParts)
    if (part == name) return true;
  return false;
}

bool isProduct(std::string_view name) {
  return name == "aten::bmm" || name == "aten::baddbmm";
}

// Modules in whose forward a product, a softmax and a product follow each other.
std::set<std::int32_t> writtenOut(const Facts& facts) {
  enum class Seen { Nothing, Product, Softmax };
  std::map<std::int32_t, Seen> seen;
  std::set<std::int32_t> modules;
  for (const auto& event : facts.trace.events) {
    if (event.kind != Kind::Operator || event.backward || event.stage == Stage::Backward) continue;
    const std::string_view name = facts.trace.nameOf(event);
    auto& state = seen[event.module];
    if (name == "aten::_softmax") {
      state = state == Seen::Product ? Seen::Softmax : Seen::Nothing;
    } else if (isProduct(name)) {
      if (state == Seen::Softmax) modules.insert(event.module);
      state = Seen::Product;
    }
  }
  return modules;
}

std::optional<Finding> look(const Facts& facts) {
  if (placeOf(facts) == Place::Unknown) return std::nullopt;
  const auto modules = writtenOut(facts);
  if (modules.empty()) return std::nullopt;
  Finding finding;
  double ns = 0;
  const auto& events = facts.trace.events;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto& name = facts.trace.nameOf(events[i]);
    if (events[i].kind != Kind::Operator || !modules.contains(events[i].module) || !isPart(name)) continue;
    if (!facts.report.span.has(events[i])) continue;
    ns += workNs(facts, i);
    addOperator(finding, name);
  }
  const double share = shareOfWall(facts, ns);
  if (share < kLeastShare) return std::nullopt;
  for (const auto module : modules) addModule(finding, moduleName(facts, module));
  expectGain(finding, share, kFaster);
  finding.severity = severityOf(finding);
  finding.args = {{"percent", percent(share)}};
  finding.evidence.push_back({"evidence.attention_time", {{"percent", percent(share)}}});
  if (!finding.modules.empty()) finding.evidence.push_back({"evidence.attention_in", {{"module", finding.modules.front()}}});
  finding.events = longestEvents(facts, [&](const Event& e) {
    return e.kind == Kind::Operator && modules.contains(e.module) && facts.trace.nameOf(e) == "aten::_softmax";
  });
  if (facts.knows("attention") && facts.text("attention") != "fused") finding.fix.set["attention"] = "fused";
  return finding;
}

}  // namespace

Rule rule_attention_not_fused() {
  return {"attention_not_fused", look};
}

}  // namespace atelier::trace
