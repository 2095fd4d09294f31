// A lab as its author wrote it: steps with a prediction, an experiment, checks, hints, a quiz; texts in one language.
// Read from a folder (lab.toml, en.md, fr.md, instructor.*.md) by load.h and never changed afterwards. Any thread.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/wire/result.h"

namespace atelier::lab {

// What the learner commits to before the experiment: a number, or with the unit "name" one of some choices.
struct Prediction {
  std::string about;     // id of the experiment step whose result it is judged against
  std::string quantity;  // path into that result: "samples_per_second", "ratio", "peak_memory_bytes.total", "accuracy";
                         // of a choice that of a list of names: "operators", "origin.module"
  std::string unit;      // catalog suffix: samples_per_second, ratio, bytes, percent (kept as a share: 0.05 is 5 %), number,
                         // or name
  double min = 0, max = 0;
  std::vector<std::string> choices{};  // of a choice; which is right, only the experiment knows

  bool isChoice() const { return unit == "name"; }
};

// What the engine is asked to run. Spec keys are the RunSpec's; `b` holds the second variant's differing keys.
struct Experiment {
  std::string verb = "run";  // run, race, profile, max-batch
  nlohmann::json spec = nlohmann::json::object();
  nlohmann::json b = nlohmann::json::object();
  std::vector<std::string> knobs;    // RunSpec keys the learner may change, in both variants
  std::vector<std::string> knobs_b;  // RunSpec keys the learner may change in variant b only
  int seconds = 60;                  // about how long it takes on a small machine
  std::string plan{};                // races: id of the profiled step whose plan is applied, see plan.h; or ""
  int b_from_plan = 0;               // which of the plan's fixes b tries, from 1 on; 0: all that have won, against the start

  std::string ladder{};              // id of the step at the foot of the ladder that this one stands on, see ladder.h; or ""
  int epoch_samples = 0;             // of a ladder's foot: how many samples an epoch has; 0: not told

  bool appliesPlan() const { return !plan.empty(); }
  bool climbs() const { return !ladder.empty(); }
};

// One typed check; kinds are the files of labs/checks. `parameters` were verified when the lab was read.
struct CheckSpec {
  std::string id, kind;
  std::string on;  // id of the experiment step whose result it reads; by default its own step
  nlohmann::json parameters = nlohmann::json::object();
};

struct Question {
  std::string id, text;
  std::vector<std::string> choices;
  int answer = 0;  // index of the right choice
  std::string explanation;
};

struct Step {
  std::string id, title, body;  // body: Markdown; {prediction.STEP} and {measured.STEP} stand for figures
  std::optional<Prediction> prediction;
  std::optional<Experiment> experiment;
  std::vector<CheckSpec> checks;
  std::vector<std::string> hints;
  std::string solution;                                      // Markdown, "" when there is none
  nlohmann::json solution_knobs = nlohmann::json::object();  // what "show the solution" sets
  std::vector<Question> quiz;
};

struct Lab {
  std::string id, number, title, question;  // number: "1.1"
  std::string half_day;                     // day1-morning, day1-afternoon, …
  int minutes = 30;
  std::vector<Step> steps;
  std::string instructor;  // Markdown notes, "" when there are none
  std::string language;    // of the texts: en, fr
  std::filesystem::path folder;
  std::map<std::string, std::filesystem::path> recorded;  // step → archive of a recorded run of its experiment
  std::vector<wire::Message> notices;                     // what was left out on reading, and why
  bool outdated = false;                                  // its files were broken since: the last good form, see reload.h

  const Step* find(const std::string& step) const {
    for (const auto& candidate : steps)
      if (candidate.id == step) return &candidate;
    return nullptr;
  }
};

// A lab that the course lists but that has no readable folder.
struct PlannedLab {
  std::string number, title;
};

// A half-day of the course and its labs; `planned` labs are listed with their titles but can't be opened yet.
struct HalfDay {
  std::string id, title;
  std::vector<Lab> labs;
  std::vector<PlannedLab> planned;
};

struct Course {
  std::vector<HalfDay> half_days;
  std::vector<wire::Error> refused;  // broken lab folders: file, line and reason
  const Lab* find(const std::string& lab) const {
    for (const auto& half : half_days)
      for (const auto& candidate : half.labs)
        if (candidate.id == lab || candidate.number == lab) return &candidate;
    return nullptr;
  }
};

}  // namespace atelier::lab
