#include "script.h"

#include <algorithm>
#include <vector>

#include "core/engine/data/dataset.h"
#include "core/engine/data/loader.h"
#include "core/engine/models/model.h"
#include "core/engine/session/plan.h"
#include "core/engine/techniques/technique.h"
#include "parts.h"
#include "skeleton.h"

namespace atelier::engine {
namespace {

// REQUIRES: the id is among the units: the schema's choices are their ids.
const DataUnit& dataUnit(const std::string& id) {
  return *std::find_if(allData().begin(), allData().end(), [&](const DataUnit& unit) { return unit.id == id; });
}

ScriptPlan planOf(ScriptBuilder& script, std::int64_t count) {
  ScriptPlan plan;
  plan.steps_per_epoch = batchesPerEpoch(count, script.integer("batch"), script.flag("drop_last"));
  const auto epochs = script.integer("epochs");
  plan.steps = epochs > 0 ? epochs * plan.steps_per_epoch : script.integer("steps");
  plan.warmup = script.integer("warmup");
  if (script.training()) plan.accumulation = script.integer("accumulation");
  plan.blocks = std::min(script.integer("blocks"), plan.steps);
  return plan;
}

// Large numbers are read best in groups: 60_000.
std::string grouped(std::int64_t value) {
  const auto digits = std::to_string(value);
  if (digits.size() < 5) return digits;
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += '_';
    text += digits[i];
  }
  return text;
}

void addMachine(ScriptBuilder& script) {
  script.constant("SEED", std::to_string(script.integer("seed")));
  if (const auto threads = script.integer("threads"); threads > 0) {
    script.constant("THREADS", std::to_string(threads));
  } else {
    script.require("import os");
    script.constant("THREADS", "len(os.sched_getaffinity(0))", "all cores that this process may use");
  }
  const auto device = script.device();
  if (device == ScriptDevice::Either)
    script.constant("DEVICE", "torch.device(\"cuda\" if torch.cuda.is_available() else \"cpu\")");
  if (device == ScriptDevice::Cuda) script.constant("DEVICE", "torch.device(\"" + pythonText(script.text("device")) + "\")");
  script.word("deviceText", device == ScriptDevice::Cpu ? "\"cpu\"" : "str(DEVICE)");
  const bool deterministic = script.flag("deterministic");
  if (deterministic && device != ScriptDevice::Cpu) {
    script.require("import os");
    script.add(Place::Settings, "os.environ.setdefault(\"CUBLAS_WORKSPACE_CONFIG\", \":4096:8\")  # cuBLAS asks for it");
  }
  if (deterministic) script.add(Place::Settings, "torch.use_deterministic_algorithms(True)");
  if (script.flag("cudnn_benchmark") && !deterministic && device != ScriptDevice::Cpu)
    script.add(Place::Settings, "torch.backends.cudnn.benchmark = True  # times cuDNN's algorithms once a shape, keeps the fastest");
  if (const auto budget = script.integer("memory_budget"); budget > 0)
    script.remark(device == ScriptDevice::Cpu
                      ? "memory_budget: PyTorch has no limit for tensors on a CPU; the native engine counts them itself."
                      : "memory_budget: counts tensors on a CPU. PyTorch's nearest, for a GPU:\n"
                        "torch.cuda.set_per_process_memory_fraction(share), where the share is\n" +
                            std::to_string(budget) + " / torch.cuda.get_device_properties(DEVICE).total_memory");
}

void addCounts(ScriptBuilder& script, std::int64_t count) {
  const auto& plan = script.plan();
  const bool epochs = script.integer("epochs") > 0, dropLast = script.flag("drop_last");
  script.constant("BATCH", std::to_string(script.integer("batch")));
  if (epochs || script.evaluates())
    script.constant("STEPS_PER_EPOCH", dropLast ? grouped(count) + " // BATCH" : "math.ceil(" + grouped(count) + " / BATCH)");
  if (plan.warmup > 0) script.constant("WARMUP", std::to_string(plan.warmup), "steps before the measurement");
  script.constant("STEPS",
                  epochs ? std::to_string(script.integer("epochs")) + " * STEPS_PER_EPOCH" : std::to_string(plan.steps));
  if (plan.accumulation > 1)
    script.constant("ACCUMULATION", std::to_string(plan.accumulation), "micro-batches, the steps here, to an optimizer step");
  script.constant("BLOCKS", std::to_string(plan.blocks), "of steps; the figure is the median over them");
  // Races compare variants; a script is one.
  if (script.flag("stop_when_decided")) script.remark("stop_when_decided: it ends races, and this script runs one variant.");
}

// Words in lines of some ninety columns, of which the first has `width` taken.
std::string wrapped(const std::vector<std::string>& words, const std::string& separator, const std::string& newLine,
                    std::size_t width) {
  constexpr std::size_t kWidth = 94;
  std::string text;
  for (const auto& word : words) {
    const auto safe = pythonText(word);
    const bool breaks = !text.empty() && width + separator.size() + safe.size() > kWidth;
    if (breaks) text += separator.substr(0, separator.find_last_not_of(' ') + 1) + newLine;
    else if (!text.empty()) text += separator;
    text += safe;
    width = breaks ? newLine.size() + safe.size() : width + separator.size() + safe.size();
  }
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

void addDocumentation(ScriptBuilder& script) {
  std::string text = std::string("\"\"\"") + (script.training() ? "Trains " : "Runs ") + pythonText(script.text("model")) +
                     " on " + script.text("data") + " and measures samples per second.\n\n" +
                     "The same run as Atelier's native engine does, with PyTorch 2.11" +
                     (script.libraries().empty() ? " alone" : "") + ".\n";
  if (!script.libraries().empty()) text += "It needs beside it: " + joined(script.libraries()) + ".\n";
  const auto changed = script.changed();
  if (changed.empty()) text += "Every key of its spec is at its default.\n";
  else text += "Its spec; other keys are at their defaults:\n    " + wrapped(changed, " ", "\n    ", 4) + "\n";
  script.fill("documentation",
              text + "Blocks that other programs disturb are not found here: close them before you measure.\n\"\"\"");
  const auto unused = script.unused();
  const std::string said = "Without effect in this run: ";
  if (!unused.empty()) script.remark(said + wrapped(unused, ", ", "\n", said.size()) + ".");
}

void addImports(ScriptBuilder& script) {
  for (const char* statement :
       {"import argparse", "import itertools", "import json", "import math", "import resource", "import statistics",
        "import time", "from collections.abc import Iterator", "from dataclasses import dataclass, field",
        "from typing import Any", "import torch", "from torch import nn"})
    script.require(statement);
}

// Everything of the script but its rendering. The schema must outlive the builder.
void build(ScriptBuilder& script) {
  addImports(script);
  addMachine(script);
  const auto data = dataUnit(script.text("data")).script(script);
  script.setPlan(planOf(script, data.train_count));
  addCounts(script, data.train_count);
  const auto& model = *findModelUnit(script.text("model"));
  const bool tokens = data.shape.kind == InputKind::Tokens;
  script.setInput({tokens, tokens && model.task == Task::NextToken, data.validation_count > 0, data.shape.length});
  model.script(data.shape, script);
  addFeed(script);
  std::vector<const TechniqueUnit*> ordered;
  for (const auto& unit : allTechniques()) ordered.push_back(&unit);
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto* a, const auto* b) { return a->order < b->order; });
  for (const auto* unit : ordered)
    if (unit->script) unit->script(script);
  addRunner(script);
  addMeasurement(script);
  addProfile(script);
  addDocumentation(script);
}

}  // namespace

wire::Result<ScriptPlan> scriptPlan(const wire::RunSpec& spec) {
  const auto schema = engineSchema();
  if (!schema.ok()) return schema.error();
  ScriptBuilder script(spec, *schema);
  const auto count = dataUnit(script.text("data")).script(script).train_count;
  const auto plan = planOf(script, count);
  if (plan.steps_per_epoch == 0 || script.integer("batch") > count)
    return wire::Error{
        wire::ExitCode::Usage,
        {"spec.batch_too_large", {{"batch", std::to_string(script.integer("batch"))}, {"count", std::to_string(count)}}}};
  return plan;
}

std::string pytorchScript(const wire::RunSpec& spec) {
  const auto schema = engineSchema();
  ScriptBuilder script(spec, *schema);
  build(script);
  return script.render(skeleton::kScript);
}

std::set<std::string> scriptKeys(const wire::RunSpec& spec) {
  const auto schema = engineSchema();
  ScriptBuilder script(spec, *schema);
  build(script);
  return script.keys();
}

}  // namespace atelier::engine
