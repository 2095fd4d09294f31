#include "plan.h"

#include <algorithm>
#include <cstdlib>

#include <ATen/detail/CUDAHooksInterface.h>

#include "core/engine/data/installed.h"
#include "core/engine/data/loader.h"
#include "core/engine/models/bert.h"
#include "core/engine/monitor/gpu.h"
#include "core/engine/monitor/process.h"
#include "core/engine/profile/schedule.h"
#include "core/engine/techniques/technique.h"
#include "core/pretrained/model_folder.h"
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

// Families are chosen by what stands behind their prefix; the model that the set-up installs is offered by name.
Option modelOption() {
  std::vector<std::string> choices{"cnn"}, prefixes;
  for (const auto& unit : allModels()) {
    if (!unit.prefix.empty()) prefixes.push_back(unit.prefix);
    else if (unit.id != choices.front()) choices.push_back(unit.id);
  }
  choices.emplace_back("hf:minilm");
  auto option = wire::choiceOption("model", choices);
  option.prefixes = prefixes;
  return option;
}

std::vector<Option> sessionOptions() {
  constexpr std::int64_t kMany = 1'000'000'000;
  std::vector<Option> all;
  const auto append = [&](std::vector<Option> some) { all.insert(all.end(), some.begin(), some.end()); };
  append(
      grouped("model", true,
              {modelOption(), wire::choiceOption("data", ids(allData(), "fashion-mnist")), wire::choiceOption("mode", {"train", "infer"})}));
  append(grouped("machine", true,
                 {wire::textOption("device", "auto"), wire::integerOption("threads", 0, 0, 4096),
                  wire::integerOption("seed", 0, 0, kMany), wire::booleanOption("deterministic", false)}));
  append(grouped("machine", false, {wire::booleanOption("cudnn_benchmark", false)}));
  append(grouped("training", true,
                 {wire::integerOption("batch", 128, 1, 1 << 20), wire::integerOption("accumulation", 1, 1, 1 << 20),
                  wire::integerOption("epochs", 0, 0, 1'000'000)}));
  append(grouped("training", false, {wire::numberOption("label_smoothing", 0, 0, 1)}));
  append(grouped("measurement", true,
                 {wire::integerOption("steps", 200, 1, kMany), wire::integerOption("warmup", 10, 0, kMany),
                  wire::integerOption("blocks", 10, 1, 1000)}));
  append(grouped("measurement", false,
                 {wire::booleanOption("evaluate", true), wire::booleanOption("naive", false),
                  wire::booleanOption("stop_when_decided", false)}));
  append(grouped("data", true, {wire::integerOption("workers", 0, 0, 256), wire::integerOption("prefetch", 2, 1, 1024)}));
  append(grouped("data", false,
                 {wire::integerOption("length", 128, 8, 8192), wire::booleanOption("bucket", false),
                  wire::textOption("data_dir", ""), wire::integerOption("image_size", 64, 8, 1024),
                  wire::booleanOption("pinned", false), wire::booleanOption("drop_last", false)}));
  append(grouped("measurement", false,
                 {wire::textOption("profile", "off"), wire::booleanOption("profile_shapes", true),
                  wire::booleanOption("profile_memory", true), wire::booleanOption("profile_modules", true)}));
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

const DataUnit& dataUnit(const wire::RunSpec& spec) {
  return *std::find_if(allData().begin(), allData().end(), [&](const DataUnit& u) { return u.id == spec.text("data"); });
}

wire::Result<std::shared_ptr<const pretrained::ModelFolder>> folderOf(const std::string& model, DataCache& cache) {
  if (const auto found = cache.folders.find(model); found != cache.folders.end()) return found->second;
  auto opened = openFolder(model);
  if (opened.ok()) cache.folders[model] = *opened;
  return opened;
}

// Models without a tokenizer of their own read tokens with that of the model that the set-up installed.
wire::Result<std::shared_ptr<const Dataset>> loadData(const Plan& plan, DataCache& cache) {
  const auto& spec = plan.spec;
  const auto& unit = dataUnit(spec);
  DataRequest request{static_cast<std::uint64_t>(spec.integer("seed")), spec};
  std::string key = unit.id + (unit.seeded ? "/" + std::to_string(request.seed) : "");
  if (unit.input == InputKind::Images) key += "/" + spec.text("data_dir") + "/" + std::to_string(spec.integer("image_size"));
  if (unit.input == InputKind::Tokens) {
    auto folder = plan.folder;
    if (!folder) {
      auto common = folderOf("hf:minilm", cache);
      if (!common.ok()) return common.error();
      folder = *common;
    }
    request.tokenizer = folder->tokenizer;
    request.max_tokens = plan.folder ? plan.folder->max_tokens : spec.integer("length");
    key += "/" + folder->path.string() + "/" + std::to_string(request.max_tokens);
    for (const auto& option : unit.options) key += "/" + wire::valueText(option, spec.values().at(option.key));
    key += "/" + std::to_string(spec.integer("length"));
  }
  if (const auto found = cache.data.find(key); found != cache.data.end()) return found->second;
  auto loaded = unit.load(request);
  if (loaded.ok()) cache.data[key] = *loaded;
  return loaded;
}

// "fashion-mnist, synthetic-images".
std::string fittingData(InputKind input) {
  std::string all;
  for (const auto& unit : allData())
    if (unit.input == input) all += (all.empty() ? "" : ", ") + unit.id;
  return all;
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
  const auto append = [&](const auto& units, const char* kind) {
    for (const auto& unit : units)
      for (auto option : unit.options) {
        option.unit = kind + unit.id;
        options.push_back(std::move(option));
      }
  };
  append(allModels(), "model.");
  append(allData(), "data.");
  append(allTechniques(), "technique.");
  return wire::Schema::build(std::move(options));
}

wire::Status validate(const wire::RunSpec& spec) {
  const auto& device = spec.text("device");
  if (device != "auto" && device != "cpu" && cudaIndex(device) < 0)
    return Error{ExitCode::Usage, {"device.unknown", {{"device", device}}}};
  if (const auto resolved = resolveDevice(device); !resolved.ok()) return resolved.error();
  const auto* model = findModelUnit(spec.text("model"));
  if (model->input != dataUnit(spec).input)
    return Error{ExitCode::Usage, {"spec.model_and_data", {{"model", spec.text("model")}, {"data", spec.text("data")},
                                                           {"fitting", fittingData(model->input)}}}};
  if (const auto schedule = parseSchedule(spec.text("profile")); !schedule.ok()) return schedule.error();
  for (const auto& technique : allTechniques())
    if (technique.validate)
      if (auto valid = technique.validate(spec); !valid.ok()) return valid;
  return wire::success();
}

const ModelUnit* findModelUnit(const std::string& model) {
  for (const auto& unit : allModels())
    if (unit.prefix.empty() ? unit.id == model : model.starts_with(unit.prefix)) return &unit;
  return nullptr;
}

wire::Result<std::shared_ptr<const pretrained::ModelFolder>> openFolder(const std::string& model) {
  const char* home = std::getenv("ATELIER_HOME");
  const auto path = pretrained::findModel(model.substr(model.find(':') + 1), home ? home : "", installedModels());
  if (!path.ok()) return path.error();
  auto folder = pretrained::openModelFolder(*path);
  if (!folder.ok()) return folder;
  if (auto fits = checkWeights(**folder); !fits.ok()) return fits.error();
  return folder;
}

wire::Result<Plan> makePlan(const wire::RunSpec& spec, DataCache& cache) {
  Plan plan;
  plan.spec = spec;
  const auto device = resolveDevice(spec.text("device"));
  if (!device.ok()) return device.error();
  plan.device = *device;
  plan.threads = spec.integer("threads") > 0 ? static_cast<int>(spec.integer("threads")) : availableCores();
  plan.model = findModelUnit(spec.text("model"));
  if (!plan.model->prefix.empty()) {
    auto folder = folderOf(spec.text("model"), cache);
    if (!folder.ok()) return folder.error();
    plan.folder = *folder;
  }
  auto data = loadData(plan, cache);
  if (!data.ok()) return data.error();
  plan.data = *data;
  plan.batch = spec.integer("batch");
  plan.training = spec.text("mode") == "train";
  for (const auto& technique : allTechniques())
    if (technique.plan) technique.plan(plan);
  const auto perEpoch = batchesPerEpoch(plan.data->count(Split::Train), plan.batch, spec.flag("drop_last"));
  if (perEpoch == 0 || plan.batch > plan.data->count(Split::Train))
    return Error{
        ExitCode::Usage,
        {"spec.batch_too_large", {{"batch", std::to_string(plan.batch)}, {"count", std::to_string(plan.data->count(Split::Train))}}}};
  plan.steps = spec.integer("epochs") > 0 ? spec.integer("epochs") * perEpoch : spec.integer("steps");
  plan.warmup = spec.integer("warmup");
  plan.blocks = std::min(spec.integer("blocks"), plan.steps);
  plan.budget_bytes = spec.integer("memory_budget");
  if (spec.text("device") == "auto" && plan.device.is_cpu()) sayWhyNoGpu(plan.notices);
  if (spec.flag("bucket") && plan.data->shape.kind != InputKind::Tokens) plan.notices.push_back({"data.bucket_no_lengths"});
  if (spec.flag("pinned") && plan.device.is_cpu()) plan.notices.push_back({"data.pinned_without_gpu"});
  if (spec.flag("cudnn_benchmark") && plan.device.is_cpu()) plan.notices.push_back({"machine.cudnn_without_gpu"});
  if (spec.flag("cudnn_benchmark") && spec.flag("deterministic")) plan.notices.push_back({"machine.cudnn_deterministic"});
  if (plan.budget_bytes > 0 && !plan.device.is_cpu()) plan.notices.push_back({"memory.budget_cpu_only"});
  const auto busy = plan.threads + spec.integer("workers");
  if (plan.threads > availableCores() || spec.integer("workers") > availableCores())
    plan.notices.push_back(
        {"threads.oversubscribed", {{"threads", std::to_string(busy)}, {"cores", std::to_string(availableCores())}}});
  return plan;
}

}  // namespace atelier::engine
