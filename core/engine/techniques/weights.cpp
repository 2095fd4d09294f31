// weights: the model's tensors from a safetensors file, by their names, in place of the random ones. A file that doesn't fit
// the model is refused before anything runs; what it has beyond the model is left out, and said.
#include <algorithm>
#include <future>
#include <set>

#include "core/engine/module/load_weights.h"
#include "core/engine/script/builder.h"
#include "core/engine/session/plan.h"
#include "core/pretrained/safetensors.h"
#include "technique.h"

namespace atelier::engine {
namespace {

using pretrained::SafetensorsFile;

struct Entry {
  std::string name;
  at::Tensor tensor;
  bool required = true;
};

// Of the buffers a file may lack those that are no statistics: constants that the model makes itself, and BatchNorm's counter,
// which nothing reads at a fixed momentum. Python's state dicts leave such ones out too.
std::vector<Entry> entriesOf(const Module& model) {
  std::vector<Entry> all;
  for (const auto& parameter : model.named_parameters()) all.push_back({parameter.key(), parameter.value()});
  for (const auto& buffer : model.named_buffers()) {
    const auto& name = buffer.key();
    all.push_back({name, buffer.value(), name.ends_with("running_mean") || name.ends_with("running_var")});
  }
  return all;
}

// A tensor that the model has under two names may stand in a file under one of them.
bool standsElsewhere(const std::vector<Entry>& all, const Entry& entry, const SafetensorsFile& file) {
  return std::any_of(all.begin(), all.end(), [&](const Entry& other) {
    return other.name != entry.name && other.tensor.is_same(entry.tensor) && file.find(other.name) != nullptr;
  });
}

// Names the first few mistakes: a file of another model lacks hundreds of tensors.
wire::Status check(const Module& model, const SafetensorsFile& file) {
  constexpr std::size_t kMost = 5;
  std::vector<wire::Message> wrong;
  const auto all = entriesOf(model);
  for (const auto& entry : all) {
    if (wrong.size() == kMost) break;
    if (const auto* stored = file.find(entry.name)) {
      if (const auto fits = checkTensor(entry.tensor, *stored); !fits.ok()) wrong.push_back(fits.error().messages.front());
    } else if (entry.required && !standsElsewhere(all, entry, file)) {
      wrong.push_back({"weights.missing_tensor", {{"tensor", entry.name}}});
    }
  }
  if (wrong.empty()) return wire::success();
  return wire::Error{wire::ExitCode::Usage, std::move(wrong)};
}

// What is left when a file was replaced after it had been validated.
void require(const wire::Status& status, const std::string& path) {
  if (status.ok()) return;
  const auto& message = status.error().messages.front();
  std::string facts = message.id;
  for (const auto& [name, value] : message.args) facts.append(" ").append(name).append("=").append(value);
  TORCH_CHECK(false, path, ": ", facts);
}

class Weights final : public Technique {
 public:
  Weights(std::string path, std::shared_ptr<const SafetensorsFile> file, std::vector<wire::Message>& notices)
      : m_path(std::move(path)), m_file(std::move(file)), m_notices(notices) {}

  void prepareModel(Module& model) override {
    require(check(model, *m_file), m_path);
    std::set<std::string> used;
    for (auto& entry : entriesOf(model))
      if (const auto* stored = m_file->find(entry.name)) {
        require(loadTensor(entry.tensor, *m_file, *stored), m_path);
        used.insert(entry.name);
      }
    sayUnused(used);
  }

 private:
  void sayUnused(const std::set<std::string>& used) {
    constexpr std::size_t kMost = 5;
    std::size_t count = 0;
    std::string names;
    for (const auto& tensor : m_file->tensors()) {
      if (used.contains(tensor.name)) continue;
      if (++count <= kMost) names += (names.empty() ? "" : ", ") + tensor.name;
    }
    if (count == 0) return;
    if (count > kMost) names += ", …";
    m_notices.push_back({"weights.unused", {{"file", m_path}, {"count", std::to_string(count)}, {"names", names}}});
  }

  std::string m_path;
  std::shared_ptr<const SafetensorsFile> m_file;
  std::vector<wire::Message>& m_notices;
};

// The model that the spec asks for, built to look at its names and shapes; null where its folder can't be opened, which the
// plan says.
std::shared_ptr<Module> example(const wire::RunSpec& spec) {
  const auto& model = *findModelUnit(spec.text("model"));
  std::shared_ptr<const pretrained::ModelFolder> folder;
  if (!model.prefix.empty()) {
    const auto opened = openFolder(spec.text("model"));
    if (!opened.ok()) return nullptr;
    folder = *opened;
  }
  const auto schema = engineSchema();
  ScriptBuilder facts(spec, *schema);
  const auto data =
      std::find_if(allData().begin(), allData().end(), [&](const DataUnit& unit) { return unit.id == spec.text("data"); });
  const auto shape = data->script(facts).shape;
  return model.build({shape, spec, folder});
}

wire::Status validateFile(const wire::RunSpec& spec) {
  const auto& path = spec.text("weights");
  if (path.empty()) return wire::success();
  const auto file = SafetensorsFile::open(path);
  if (!file.ok()) return wire::Error{wire::ExitCode::Usage, file.error().messages};
  // In a thread of its own: what this one allocates may be charged to a variant that was made before.
  const auto model = std::async(std::launch::async, [&] { return example(spec); }).get();
  return model ? check(*model, **file) : wire::success();
}

std::unique_ptr<Technique> make(const TechniqueContext& context) {
  const auto& path = context.spec.text("weights");
  if (path.empty()) return nullptr;
  const auto file = SafetensorsFile::open(path);
  require(file.ok() ? wire::success() : wire::Status(file.error()), path);
  return std::make_unique<Weights>(path, *file, context.notices);
}

void script(ScriptBuilder& script) {
  const auto& path = script.text("weights");
  if (path.empty()) return;
  script.require("from safetensors.torch import load_model");
  script.constant("WEIGHTS", script.path(path, 10));
  script.add(Place::Model,
             "missing, _ = load_model(self.model, WEIGHTS, strict=False)\n"
             "if missing:\n"
             "    raise ValueError(f\"{WEIGHTS} lacks {sorted(missing)}\")");
}

}  // namespace

TechniqueUnit technique_weights() {
  auto option = wire::textOption("weights", "");
  option.group = "model";
  return {"weights", 5, {option}, make, script, nullptr, validateFile};
}

}  // namespace atelier::engine
