// ScriptBuilder: what the units of a run contribute to its PyTorch script: imports, constants, definitions, and lines at the
// places where techniques hook in. It notes which keys of the spec were asked for, so that a key that nobody turned into
// Python can be told instead of being left out silently.
// Texts may hold @markers@, which render() fills (skeleton.h); what a user typed goes in through pythonText() alone.
// Invariant: units add in their declared order, and lines of one place keep it. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/wire/option.h"
#include "core/wire/run_spec.h"

namespace atelier::engine {

// Where a technique's lines stand; in the order in which they run.
enum class Place {
  Settings,  // of the process, before anything is made
  Model,     // self.model is there
  Optimizer,
  Schedule,  // self.optimizer is there
  Batch,     // x and y, on their device
  AfterBackward,
  BeforeOptimizer,
  OptimizerStep,
  AfterOptimizer,
  BeforeEvaluation,
  LeaveEvaluation,
  AfterEvaluation,  // `loss` is the mean over the evaluation's samples
};

enum class ScriptDevice { Cpu, Cuda, Either };  // Either: the script chooses when it runs

// The counts that a plan would come to, without the machine and without loading the data.
struct ScriptPlan {
  std::int64_t steps_per_epoch = 0, steps = 0, warmup = 0, blocks = 0;  // steps are micro-batches
  std::int64_t accumulation = 1;                                        // of them to an optimizer step
};

// What the batches of a script hold.
struct ScriptInput {
  bool tokens = false;      // (N, T) token ids, not images
  bool next_token = false;  // the targets are the tokens that follow, not labels
  bool validation = false;  // load_data() returns a validation split too
  std::int64_t length = 0;  // tokens of a sample at most
};

class ScriptBuilder {
 public:
  // REQUIRES: both outlive the builder.
  ScriptBuilder(const wire::RunSpec& spec, const wire::Schema& schema) : m_spec(spec), m_schema(schema) {}

  // Values of the spec, each noted as asked for.
  bool flag(const std::string& key) { return m_spec.flag(noted(key)); }
  std::int64_t integer(const std::string& key) { return m_spec.integer(noted(key)); }
  double number(const std::string& key) { return m_spec.number(noted(key)); }
  const std::string& text(const std::string& key) { return m_spec.text(noted(key)); }
  const std::set<std::string>& keys() const { return m_keys; }
  // The whole of it; what is read there is not noted.
  const wire::RunSpec& spec() const { return m_spec; }

  bool training() { return text("mode") == "train"; }
  bool evaluates() { return training() && flag("evaluate"); }
  ScriptDevice device();
  // The device's type as an expression: "cpu" in quotes, or DEVICE.type.
  std::string deviceType();
  void setPlan(const ScriptPlan& plan) { m_plan = plan; }
  const ScriptPlan& plan() const { return m_plan; }
  void setInput(const ScriptInput& input) { m_input = input; }
  const ScriptInput& input() const { return m_input; }
  // An epoch may end before the last block, and be evaluated there.
  bool passesEpochs();
  // Steps that train beyond warm-up and plan: a stopwatch's, or those after an evaluation between blocks.
  bool stepsBeyondPlan();
  // All steps of the plan: "WARMUP + STEPS"; and how many optimizer steps they come to.
  std::string wholePlan() const { return m_plan.warmup > 0 ? "WARMUP + STEPS" : "STEPS"; }
  std::string plannedSteps();

  void require(const std::string& statement) { m_imports.insert(statement); }  // "import gzip"
  // Libraries beside PyTorch that are required: "tokenizers".
  std::vector<std::string> libraries() const;
  void constant(const std::string& name, const std::string& value, const std::string& remark = "");
  // A path as an expression, of several lines when it is long, for a line that has `taken` characters already.
  std::string path(std::string_view text, std::size_t taken);
  // A comment that says what of the spec stands nowhere in the code, and why.
  void remark(const std::string& text);
  // Functions and classes at the top level.
  void define(std::string_view text) { fill("definitions", text); }
  void add(Place place, std::string_view text);
  bool has(Place place) const;
  // A `with` around the model's forward pass.
  void around(const std::string& with) { m_around.push_back(with); }
  const std::vector<std::string>& around() const { return m_around; }

  // Puts a text (again) at a marker line.
  void fill(const std::string& marker, std::string_view text);
  // Appends to the word of a marker within a line.
  void word(const std::string& marker, const std::string& text) { m_words[marker] += text; }
  bool filled(const std::string& marker) const { return m_fills.contains(marker); }

  // Keys that differ from their defaults as `key=value`, as they are typed; and those of them that no unit asked for.
  std::vector<std::string> changed() const;
  std::vector<std::string> unused() const;

  // The template with every marker filled, its blank lines as PEP 8 wants them.
  std::string render(std::string_view text) const;

 private:
  const std::string& noted(const std::string& key);
  void expand(std::string_view text, const std::string& indent, int depth, std::vector<std::string>& lines) const;
  std::string withWords(std::string_view line, int depth) const;
  std::vector<std::string> importLines() const;

  const wire::RunSpec& m_spec;
  const wire::Schema& m_schema;
  ScriptPlan m_plan;
  ScriptInput m_input;
  std::set<std::string> m_keys, m_imports;
  std::map<std::string, std::vector<std::string>> m_fills;
  std::map<std::string, std::string> m_words;
  std::vector<std::string> m_around;
  bool m_countsOptimizerSteps = false;  // there is a constant for them
};

// A double as Python writes it: "0.001", "1.0".
std::string pythonNumber(double value);
// Any bytes as a Python string's inside: only harmless ASCII stands for itself.
std::string pythonText(std::string_view text);
// Replaces @name@ in a unit's text.
std::string withValues(std::string_view text, const std::vector<std::pair<std::string, std::int64_t>>& values);

}  // namespace atelier::engine
