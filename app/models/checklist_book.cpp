#include "checklist_book.h"

#include <cstdint>
#include <system_error>
#include <utility>

#include "background.h"
#include "core/registry/registry.h"
#include "core/wire/json_read.h"
#include "core/wire/number.h"
#include "run_desk.h"

namespace atelier::app {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t kLargestEnvironment = 1 << 20;
constexpr auto kEnvironmentFile = "environment.json";

nlohmann::json environmentOf(const registry::RunRecord& run) {
  const auto text = registry::readWhole(run.folder / kEnvironmentFile, kLargestEnvironment);
  if (!text) return {};
  return wire::parseJson(*text).value_or(nlohmann::json());
}

bool ranInPython(const nlohmann::json& environment) {
  return wire::textAt(environment, "source") == "python";
}

std::string machineOf(const nlohmann::json& environment) {
  auto machine = wire::textAt(environment, "cpu");
  for (const char* key : {"cores", "gpus"})
    machine += '/' + wire::memberAt(environment, key).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return machine;
}

lab::ChecklistSources sourcesIn(registry::Registry& store, const nlohmann::json& defaults) {
  lab::ChecklistSources sources;
  sources.defaults = defaults;
  auto runs = store.list(ChecklistBook::kMostRuns);
  if (!runs) return sources;
  for (auto& run : runs.value()) {
    const auto environment = environmentOf(run);
    if (ranInPython(environment)) continue;
    sources.machines.emplace(run.id, machineOf(environment));
    if (!run.race.empty() && !sources.races.contains(run.race))
      if (auto race = store.race(run.race)) sources.races.emplace(run.race, std::move(race.value()));
    sources.runs.push_back(std::move(run));
  }
  return sources;
}

}  // namespace

ChecklistBook::ChecklistBook(fs::path home, RunDesk& desk, QObject* parent)
    : QObject(parent), m_home(std::move(home)), m_desk(desk) {
  // Until somebody has looked at the list nothing is read for it.
  connect(&m_desk, &RunDesk::ended, this, [this] {
    if (m_loaded || m_reading) refresh();
  });
  connect(&m_desk, &RunDesk::changed, this, [this] {
    if (m_again && !m_reading) refresh();
  });
}

void ChecklistBook::setSchema(const wire::Schema& schema) {
  auto defaults = nlohmann::json::object();
  for (const auto& option : schema.options()) defaults[option.key] = wire::valueJson(option.fallback);
  if (std::exchange(m_defaults, defaults) != defaults && (m_loaded || m_reading)) refresh();
}

void ChecklistBook::refresh() {
  if (m_reading || m_desk.busy()) {
    m_again = true;
    return;
  }
  start();
}

void ChecklistBook::start() {
  m_reading = true;
  m_again = false;
  Q_EMIT changed();
  inBackground(
      this, [home = m_home, defaults = m_defaults] { return read(home, defaults); },
      [this](Content content) {
        m_reading = false;
        m_loaded = true;
        m_content = std::move(content);
        Q_EMIT changed();
        if (std::exchange(m_again, false)) refresh();
      });
}

ChecklistBook::Content ChecklistBook::read(const fs::path& home, const nlohmann::json& defaults) {
  Content content;
  std::error_code none;
  if (!fs::is_directory(home / "runs", none)) {
    // Nothing was recorded yet: no index is made for it.
    lab::ChecklistSources sources;
    sources.defaults = defaults;
    content.list = lab::fillChecklist(sources);
    return content;
  }
  auto opened = registry::Registry::open(home);
  if (!opened) {
    content.problems = opened.error().messages;
    return content;
  }
  const auto sources = sourcesIn(**opened, defaults);
  content.list = lab::fillChecklist(sources);
  for (const auto& run : sources.runs) {
    if (!run.labels.name.empty()) content.names.emplace(run.id, run.labels.name);
    for (const auto& entry : content.list.entries)
      if (entry.base == run.id) content.specs.emplace(run.id, run.spec);
  }
  return content;
}

nlohmann::json ChecklistBook::specOf(const std::string& run) const {
  const auto found = m_content.specs.find(run);
  return found == m_content.specs.end() ? nlohmann::json() : found->second;
}

std::string ChecklistBook::nameOf(const std::string& run) const {
  const auto found = m_content.names.find(run);
  return found == m_content.names.end() ? run : found->second;
}

}  // namespace atelier::app
