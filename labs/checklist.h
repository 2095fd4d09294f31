// The check-list: what to try so that a training gets faster, in order, filled in from what was recorded. An item looks at a
// few keys of the spec; what it brings is read from races first (variants measured by turns: an interval and a verdict), else
// from two runs that are alike but for these keys (marked so, and without a verdict). Items come from one list,
// checklist_items.cpp: another one is a row there and its texts. Pure; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/registry/registry.h"
#include "core/wire/summary.h"

namespace atelier::lab {

struct ChecklistItem {
  // What it is about: that it was looked at, throughput, the effective batch, or memory.
  enum class Aim { Look, Speed, Batch, Memory };

  std::string id;
  Aim aim = Aim::Speed;
  std::string title, brings, next;  // ids of texts
  std::string lab;                  // number of the lab that teaches it
  std::vector<std::string> keys;    // of the spec that belong to it
  // Whether a run had it. `spec` has every key that is at hand, defaults filled in.
  bool (*on)(const nlohmann::json& spec) = nullptr;
  // What to change in a spec that has it not.
  nlohmann::json (*offer)(const nlohmann::json& spec) = nullptr;
};

// In the order in which they are to be tried.
const std::vector<ChecklistItem>& checklistItems();

struct ChecklistEvidence {
  // From the weakest. Used: a run had it, and nothing to hold it against. Together: a race in which other things differed as
  // well. Apart: two runs of different sittings, alike but for it. Raced: a race in which nothing else differed.
  enum class Kind { Used, Together, Apart, Raced };

  Kind kind = Kind::Used;
  std::string race;                       // id; "" but for races
  std::string with, without;              // ids of runs; without: "" when there is none
  std::optional<wire::Interval> ratio{};  // samples/s with it over without it
  std::string verdict;                    // of a race, of with over without: faster, slower, no-difference, machine-busy
  std::optional<bool> same_quality{};     // of a race
  std::optional<double> memory{};         // peak of tensor memory, with over without
  std::optional<double> activations{};    // their part of it, likewise
  std::int64_t effective_batch = 0;       // samples an update; 0: the spec doesn't say
  nlohmann::json change{};                // keys of `with` that differ from `without`; of Used: the item's keys
};

struct ChecklistEntry {
  const ChecklistItem* item = nullptr;
  std::optional<ChecklistEvidence> best{};  // the newest of the strongest kind; nullopt: not tried
  int races = 0;                            // in which a run with it stood against one without it
  int runs = 0;                             // that had it
  std::string base;                         // the newest run without it, to try it on; "": there is none
  nlohmann::json offer{};                   // what to change there (in the defaults where there is none)
};

struct Checklist {
  std::vector<ChecklistEntry> entries;  // one an item
  int tried() const;
  // The gains of races that were decided for the better, multiplied: each was measured by itself, so it is no measurement of
  // all together. nullopt: none was.
  std::optional<double> product() const;
};

// What is recorded, newest first. Runs that a race names and that are not among `runs` say nothing.
struct ChecklistSources {
  std::vector<registry::RunRecord> runs{};
  std::map<std::string, wire::RaceSummary> races{};  // by id
  nlohmann::json defaults{};                         // of the spec's keys, where a record leaves some out
  // What each run was measured on, by its id: runs of different machines are not held against one another.
  std::map<std::string, std::string> machines{};
};

Checklist fillChecklist(const ChecklistSources& sources);

// A row an item, numbers as in files: item, state, ratio, low, high, verdict, memory, activations, effective_batch,
// same_quality, race, with, without.
std::string toCsv(const Checklist& checklist);

// "raced", "raced_with_others", "apart", "used"; of what was not tried: "not_tried".
const char* stateName(const std::optional<ChecklistEvidence>& evidence);

}  // namespace atelier::lab
