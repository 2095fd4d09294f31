#include "plan.h"

#include <algorithm>

#include <ATen/detail/CUDAHooksInterface.h>

#include "core/engine/data/loader.h"
#include "core/engine/monitor/gpu.h"
#include "core/engine/monitor/process.h"
#include "core/engine/techniques/technique.h"
#include "core/wire/number.h"

namespace atelier::engine {
namespace {

using wire::Error;
using wire::ExitCode;
using wire::Option;

template <class Units>
std::vector<std::string> ids(const Units& units, const std::string& first) {
  std::vector<std::string> result{first};
  for (const auto& unit : units)
    if (unit.id != first) result.push_back(unit.id);
  return result;
}

std::vector<Option> grouped(std::string group, bool common, std::vector<Option> options) {
  for (auto& option : options) {
    option.group = group;
    option.common = common;
    option.unit = "session";
  }
  return options;
}

std::vector<Option> sessionOptions() {
  constexpr std::int64_t kMany = 1'000'000'000;
  std::vector<Option> all;
  const auto append = [&](std::vector<Option> some) { all.insert(all.end(), some.begin(), some.end()); };
  append(
      grouped("model", true,
              {wire::choiceOption("model", ids(allModels(), "cnn")),
               wire::choiceOption("data", ids(allData(), "fashion-mnist")), wire::choiceOption("mode", {"train", "infer"})}));
  append(grouped("machine", true,
                 {wire::textOption("device", "auto"), wire::integerOption("threads", 0, 0, 4096),
                  wire::integerOption("seed", 0, 0, kMany), wire::booleanOption("deterministic", false)}));
  append(grouped("training", true,
                 {wire::integerOption("batch", 128, 1, 1 << 20), wire::integerOption("epochs", 0, 0, 1'000'000)}));
  append(grouped("training", false, {wire::numberOption("label_smoothing", 0, 0, 1)}));
  append(grouped("measurement", true,
                 {wire::integerOption("steps", 200, 1, kMany), wire::integerOption("warmup", 10, 0, kMany),
                  wire::integerOption("blocks", 10, 1, 1000)}));
  append(grouped("measurement", false,
                 {wire::booleanOption("evaluate", true), wire::booleanOption("naive", false),
                  wire::booleanOption("stop_when_decided", false)}));
  append(grouped("data", true, {wire::integerOption("workers", 0, 0, 256), wire::integerOption("prefetch", 2, 1, 1024)}));
  append(grouped("data", false, {wire::booleanOption("pinned", false), wire::booleanOption("drop_last", false)}));
  append(grouped("memory", true, {wire::bytesOption("memory_budget")}));
  return all;
}

// "cuda:N" → N, "cuda" → 0; −1: not a CUDA device's name.
int cudaIndex(const std::string& device) {
  if (device == "cuda") return 0;
  if (!device.starts_with("cuda:")) return -1;
  const auto index = wire::parseInteger(std::string_view(device).substr(5));
  return index && *index >= 0 && *index < 1024 ? static_cast<int>(*index) : -1;
}

wire::Result<c10::Device> resolveDevice(const std::string& name) {
  if (name == "cpu") return c10::Device(c10::kCPU);
  if (name == "auto") {
    if (gpuStatus().gpus.empty() || !loadCuda().ok()) return c10::Device(c10::kCPU);  // makePlan says why
    return c10::Device(c10::kCUDA, 0);
  }
  if (auto loaded = loadCuda(); !loaded.ok()) return loaded.error();
  const int index = cudaIndex(name), count = static_cast<int>(at::detail::getCUDAHooks().deviceCount());
  if (index >= count)
    return Error{ExitCode::NoDevice, {"device.no_such_gpu", {{"device", name}, {"count", std::to_string(count)}}}};
  return c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(index));
}

wire::Result<std::shared_ptr<const Dataset>> loadData(const wire::RunSpec& spec, DataCache& cache) {
  const auto seed = static_cast<std::uint64_t>(spec.integer("seed"));
  const auto unit =
      std::find_if(allData().begin(), allData().end(), [&](const DataUnit& u) { return u.id == spec.text("data"); });
  const auto key = unit->id + (unit->seeded ? "/" + std::to_string(seed) : "");
  if (const auto found = cache.find(key); found != cache.end()) return found->second;
  auto loaded = unit->load(seed);
  if (loaded.ok()) cache[key] = *loaded;
  return loaded;
}

// A machine without a GPU needs no word; one whose GPU can't be used does.
void sayWhyNoGpu(std::vector<wire::Message>& notices) {
  const auto status = gpuStatus();
  if (status.gpus.empty() && status.reason.id != "gpu.none") notices.push_back(status.reason);
  if (status.gpus.empty()) return;
  if (const auto loaded = loadCuda(); !loaded.ok()) notices.push_back(loaded.error().messages.back());
}

}  // namespace

wire::Result<wire::Schema> engineSchema() {
  auto options = sessionOptions();
  for (const auto& technique : allTechniques())
    for (auto option : technique.options) {
      option.unit = "technique." + technique.id;
      options.push_back(std::move(option));
    }
  return wire::Schema::build(std::move(options));
}

wire::Status validate(const wire::RunSpec& spec) {
  const auto& device = spec.text("device");
  if (device != "auto" && device != "cpu" && cudaIndex(device) < 0)
    return Error{ExitCode::Usage, {"device.unknown", {{"device", device}}}};
  if (const auto resolved = resolveDevice(device); !resolved.ok()) return resolved.error();
  return wire::success();
}

wire::Result<Plan> makePlan(const wire::RunSpec& spec, DataCache& cache) {
  Plan plan;
  plan.spec = spec;
  const auto device = resolveDevice(spec.text("device"));
  if (!device.ok()) return device.error();
  plan.device = *device;
  plan.threads = spec.integer("threads") > 0 ? static_cast<int>(spec.integer("threads")) : availableCores();
  const auto unit =
      std::find_if(allModels().begin(), allModels().end(), [&](const ModelUnit& m) { return m.id == spec.text("model"); });
  plan.model = &*unit;
  auto data = loadData(spec, cache);
  if (!data.ok()) return data.error();
  plan.data = *data;
  plan.batch = spec.integer("batch");
  plan.training = spec.text("mode") == "train";
  const auto perEpoch = batchesPerEpoch(plan.data->train.count, plan.batch, spec.flag("drop_last"));
  if (perEpoch == 0 || plan.batch > plan.data->train.count)
    return Error{
        ExitCode::Usage,
        {"spec.batch_too_large", {{"batch", std::to_string(plan.batch)}, {"count", std::to_string(plan.data->train.count)}}}};
  plan.steps = spec.integer("epochs") > 0 ? spec.integer("epochs") * perEpoch : spec.integer("steps");
  plan.warmup = spec.integer("warmup");
  plan.blocks = std::min(spec.integer("blocks"), plan.steps);
  plan.budget_bytes = spec.integer("memory_budget");
  if (spec.text("device") == "auto" && plan.device.is_cpu()) sayWhyNoGpu(plan.notices);
  if (spec.flag("pinned") && plan.device.is_cpu()) plan.notices.push_back({"data.pinned_without_gpu"});
  if (plan.budget_bytes > 0 && !plan.device.is_cpu()) plan.notices.push_back({"memory.budget_cpu_only"});
  const auto busy = plan.threads + spec.integer("workers");
  if (plan.threads > availableCores() || spec.integer("workers") > availableCores())
    plan.notices.push_back(
        {"threads.oversubscribed", {{"threads", std::to_string(busy)}, {"cores", std::to_string(availableCores())}}});
  return plan;
}

}  // namespace atelier::engine
