// Plan: a RunSpec resolved against this machine: device, threads, model, data, step counts. What was asked and can't be had
// is a notice or an error, never silently replaced. Immutable once made.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <c10/core/Device.h>

#include "core/engine/data/dataset.h"
#include "core/engine/models/model.h"
#include "core/wire/run_spec.h"

namespace atelier::engine {

// All keys: the session's own and those of every technique. A key declared twice is an error that a test and the worker's
// start both see.
wire::Result<wire::Schema> engineSchema();

// Mistakes that need more than one key or the machine to be seen; exit code 2, or 5 for a device that is not there.
wire::Status validate(const wire::RunSpec& spec);

struct Plan {
  wire::RunSpec spec;
  c10::Device device = c10::kCPU;
  int threads = 1;
  const ModelUnit* model = nullptr;
  std::shared_ptr<const pretrained::ModelFolder> folder;  // of a model "hf:…"
  std::shared_ptr<const Dataset> data;
  std::int64_t batch = 128, steps = 200, warmup = 10, blocks = 10;
  std::int64_t budget_bytes = 0;
  bool training = true;
  std::vector<wire::Message> notices;
};

// Data sets and models' folders that were opened, so that the variants of a race share them.
struct DataCache {
  std::map<std::string, std::shared_ptr<const Dataset>> data{};
  std::map<std::string, std::shared_ptr<const pretrained::ModelFolder>> folders{};
};

// The model's folder that a spec's "hf:NAME|DIR" names, opened; see pretrained::findModel for where it is looked for.
wire::Result<std::shared_ptr<const pretrained::ModelFolder>> openFolder(const std::string& model);

// REQUIRES: validate(spec) succeeded. Loads the data.
wire::Result<Plan> makePlan(const wire::RunSpec& spec, DataCache& cache);

}  // namespace atelier::engine
