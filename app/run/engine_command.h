// EngineCommand: what the engine is asked to measure: a verb, the spec that goes in through stdin, and what the verb takes
// besides. A value; any thread.
#pragma once

#include <QStringList>

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace atelier::app {

struct EngineCommand {
  std::string verb = "run";                        // run, race, sweep, profile, script (runs the PyTorch form of the spec), max-batch
  nlohmann::json spec = nlohmann::json::object();  // RunSpec keys; absent ones take their defaults
  std::vector<nlohmann::json> others;              // race: what differs in b, c, d; none: A against A
  std::vector<std::pair<std::string, std::vector<std::string>>> grid;  // sweep: key → its values

  // Without the program: "race --events --spec - --b channels_last=true"; "max-batch --json --spec -".
  QStringList arguments() const;
  // Whether the verb says nothing while it goes and prints one object at its end.
  bool answers() const { return verb == "max-batch"; }
  // How many runs it records: variants of a race, points of a sweep and its drift check, else one.
  int runs() const;
};

}  // namespace atelier::app
