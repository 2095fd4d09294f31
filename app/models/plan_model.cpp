#include "plan_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/registry/registry.h"
#include "core/registry/run_id.h"
#include "core/trace/plan.h"
#include "core/wire/json_read.h"
#include "core/wire/number.h"

namespace atelier::app {

namespace {

using nlohmann::json;

constexpr std::uintmax_t kLargestFile = 16U << 20;
constexpr std::int64_t kBlocks = 10, kFewestSteps = 20, kMostSteps = 200, kUnknownSteps = 100;
constexpr double kRaceNs = 30e9;  // of each variant

bool changes(const PlanRung& rung, const json& spec) {
  return std::any_of(rung.set.begin(), rung.set.end(), [&spec](const auto& one) {
    const auto found = spec.find(one.first);
    return found == spec.end() || *found != one.second;
  });
}

json withChange(json spec, const PlanRung& rung) {
  for (const auto& [key, value] : rung.set) spec[key] = value;
  return spec;
}

bool isFaster(const PlanRung& rung) {
  return rung.race && rung.race->verdict == "faster";
}

json toJson(const PlanRung& rung) {
  json object{{"rule", rung.rule}, {"set", rung.set}, {"kept", rung.kept}};
  wire::putNumber(object, "predicted", rung.predicted);
  wire::putNumber(object, "cumulative", rung.cumulative);
  if (rung.before.is_object()) object["before"] = rung.before;
  if (rung.race) object["race"] = wire::toJson(*rung.race);
  return object;
}

PlanRung rungFromJson(const json& object) {
  PlanRung rung;
  rung.rule = wire::textAt(object, "rule");
  const auto set = wire::memberAt(object, "set");
  if (set.is_object())
    for (const auto& [key, value] : set.items()) rung.set[key] = value;
  rung.predicted = wire::getNumber(object, "predicted").value_or(1);
  rung.before = wire::memberAt(object, "before");
  const auto race = wire::memberAt(object, "race");
  if (race.is_object()) rung.race = wire::raceSummaryFromJson(race);
  const auto kept = wire::memberAt(object, "kept");
  rung.kept = kept.is_boolean() && kept.get<bool>() && isFaster(rung);
  return rung;
}

}  // namespace

PlanModel::PlanModel(std::filesystem::path folder, QObject* parent)
    : QObject(parent), m_folder(std::move(folder)), m_plan(std::make_shared<Plan>()) {}

std::int64_t PlanModel::raceSteps(double stepNs) {
  if (!(stepNs > 0)) return kUnknownSteps;
  const double fitting = kRaceNs / stepNs / static_cast<double>(kBlocks);
  const auto blocks = static_cast<std::int64_t>(std::clamp(std::ceil(fitting), 1.0, 1e6));
  return std::clamp(blocks * kBlocks, kFewestSteps, kMostSteps);
}

void PlanModel::open(const std::string& run, const json& spec, const std::vector<trace::Finding>& findings, double stepNs) {
  if (m_racing && !run.empty() && m_racing->run == run) {
    m_plan = m_racing;
    Q_EMIT changed();
    return;
  }
  m_plan = std::make_shared<Plan>();
  m_plan->run = run;
  if (spec.is_object()) m_plan->base = m_plan->best = spec;
  m_plan->findings = findings;
  m_plan->stepNs = stepNs;
  for (const auto& step : trace::planOf(findings, m_plan->base))
    m_plan->rungs.push_back({step.finding.rule, step.set, step.predicted, step.cumulative});
  read(*m_plan);
  Q_EMIT changed();
}

double PlanModel::measured() const {
  double times = 1;
  for (const auto& rung : m_plan->rungs)
    if (rung.kept && rung.race->ratio) times *= rung.race->ratio->median;
  return times;
}

double PlanModel::predicted() const {
  double times = 1;
  for (const auto& rung : m_plan->rungs) times = std::max(times, rung.cumulative);
  return times;
}

bool PlanModel::anyMeasured() const {
  return std::any_of(m_plan->rungs.begin(), m_plan->rungs.end(), [](const PlanRung& rung) { return rung.race.has_value(); });
}

// What the plan has taken of the finding may be less than all of its keys: others set the rest.
std::optional<std::size_t> PlanModel::rungOf(const trace::Finding& finding) {
  if (finding.fix.set.empty() || m_plan->base.empty()) return std::nullopt;
  auto& rungs = m_plan->rungs;
  for (std::size_t i = 0; i < rungs.size(); ++i)
    if (rungs[i].rule == finding.rule && (rungs[i].cumulative > 0 || rungs[i].set == finding.fix.set)) return i;
  PlanRung rung{finding.rule, finding.fix.set, finding.expected_gain};
  rungs.push_back(std::move(rung));
  Q_EMIT changed();
  return rungs.size() - 1;
}

bool PlanModel::canRace(std::size_t rung) const {
  if (busy() || m_plan->base.empty() || rung >= m_plan->rungs.size()) return false;
  return !m_plan->rungs[rung].kept && changes(m_plan->rungs[rung], m_plan->best);
}

std::vector<json> PlanModel::specs(std::size_t rung) const {
  auto a = m_plan->best;
  const std::pair<const char*, json> forRaces[] = {{"profile", "off"},
                                                   {"epochs", 0},
                                                   {"steps", raceSteps(m_plan->stepNs)},
                                                   {"blocks", kBlocks},
                                                   {"stop_when_decided", true}};
  for (const auto& [key, value] : forRaces)
    if (a.contains(key)) a[key] = value;
  auto b = withChange(a, m_plan->rungs.at(rung));
  return {std::move(a), std::move(b)};
}

void PlanModel::begin(std::size_t rung) {
  m_racing = m_plan;
  m_racingRung = rung;
  Q_EMIT changed();
}

std::optional<std::size_t> PlanModel::racing() const {
  return m_racing == m_plan ? std::optional(m_racingRung) : std::nullopt;
}

void PlanModel::settle(const std::optional<wire::RaceSummary>& race) {
  const auto plan = std::exchange(m_racing, nullptr);
  if (!plan) return;
  if (race && m_racingRung < plan->rungs.size()) {
    auto& rung = plan->rungs[m_racingRung];
    rung.before = plan->best;
    rung.race = race;
    rung.kept = isFaster(rung);
    if (rung.kept) plan->best = withChange(plan->best, rung);
    write(*plan);
  }
  Q_EMIT changed();
}

std::vector<wire::Message> PlanModel::whyNoGain(std::size_t rung) const {
  if (rung >= m_plan->rungs.size()) return {};
  const auto& raced = m_plan->rungs[rung];
  if (!raced.race || isFaster(raced) || !raced.before.is_object()) return {};
  return trace::whyNoGain(*raced.race, raced.before, withChange(raced.before, raced), m_plan->findings);
}

void PlanModel::reset() {
  if (busy()) return;
  m_plan->best = m_plan->base;
  for (auto& rung : m_plan->rungs) {
    rung.before = nullptr;
    rung.race.reset();
    rung.kept = false;
  }
  write(*m_plan);
  Q_EMIT changed();
}

std::filesystem::path PlanModel::fileOf(const Plan& plan) const {
  return registry::validId(plan.run) ? m_folder / (plan.run + ".json") : std::filesystem::path();
}

// What was raced and stands in the plan of today is put there; what stands in it no more, after it.
void PlanModel::read(Plan& plan) const {
  const auto file = fileOf(plan);
  if (file.empty()) return;
  const auto text = registry::readWhole(file, kLargestFile);
  if (!text) return;
  const auto kept = wire::parseJson(*text);
  if (!kept) return;
  const auto list = wire::memberAt(*kept, "rungs");
  if (!list.is_array()) return;
  for (const auto& one : list) {
    auto rung = rungFromJson(one);
    if (!rung.race || rung.set.empty()) continue;
    const auto same = std::find_if(plan.rungs.begin(), plan.rungs.end(),
                                   [&rung](const PlanRung& other) { return other.rule == rung.rule && other.set == rung.set; });
    if (same == plan.rungs.end()) {
      plan.rungs.push_back(std::move(rung));
      continue;
    }
    same->before = std::move(rung.before);
    same->race = std::move(rung.race);
    same->kept = rung.kept;
  }
  if (auto best = wire::memberAt(*kept, "best"); best.is_object() && !best.empty()) plan.best = std::move(best);
}

void PlanModel::write(const Plan& plan) {
  const auto file = fileOf(plan);
  if (file.empty()) return;
  auto rungs = json::array();
  for (const auto& rung : plan.rungs) rungs.push_back(toJson(rung));
  const json whole{{"run", plan.run}, {"best", plan.best}, {"rungs", std::move(rungs)}};
  std::error_code none;
  std::filesystem::create_directories(m_folder, none);
  const auto text = whole.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
  if (const auto written = registry::writeWhole(file, text); !written) Q_EMIT failed(written.error().messages);
}

}  // namespace atelier::app
