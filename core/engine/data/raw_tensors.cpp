// raw-tensors: samples that somebody has prepared: the .safetensors files of the folder `data_dir`, each with `input`, uint8 or
// float32 (N, C, H, W), and `target`, int64, int32 or uint8 (N). Files are mapped, not read: memory holds what batches touch. Files
// named test… are tested on; without one every tenth sample is. Classes are counted from the targets.
// Bytes are normalised with mean 0.5 and deviation 0.25; float32 is given as it is.
#include <algorithm>
#include <cstring>

#include "augment.h"
#include "core/engine/script/builder.h"
#include "core/pretrained/safetensors.h"
#include "data_error.h"

namespace atelier::engine {
namespace {

namespace fs = std::filesystem;
using pretrained::SafetensorsFile;
using pretrained::StoredTensor;
using wire::Error;
using wire::ExitCode;

constexpr float kMean = 0.5F, kDeviation = 0.25F;
constexpr std::int64_t kTestShare = 10, kMostClasses = 1'000'000, kMostSide = 4096;

struct RawSample {
  const std::byte* input;  // within a mapped file
  std::int64_t label;
};

Error notBytes() {
  return {ExitCode::Usage, {"data.raw_augment"}};
}

class RawTensors final : public Dataset {
 public:
  std::int64_t count(Split split) const override {
    return split == Split::Validation ? 0 : static_cast<std::int64_t>(of(split).size());
  }

  std::vector<std::shared_ptr<const SafetensorsFile>> files;
  std::vector<RawSample> train, test;
  bool bytes = true;  // else float32

 private:
  const std::vector<RawSample>& of(Split split) const { return split == Split::Train ? train : test; }
  Batch makeBatch(const BatchRequest& request) const override;
};

Batch RawTensors::makeBatch(const BatchRequest& request) const {
  if (!bytes && request.augmentation) throw DataError(notBytes());
  const auto numbers = static_cast<std::size_t>(shape.channels * shape.height * shape.width);
  Batch batch{at::empty({request.count, shape.channels, shape.height, shape.width}, at::kFloat),
              at::empty({request.count}, at::kLong)};
  auto* out = batch.input.data_ptr<float>();
  auto* targets = batch.target.data_ptr<std::int64_t>();
  PixelWriter writer(request, shape, kMean, kDeviation);
  for (std::int64_t i = 0; i < request.count; ++i, out += numbers) {
    const auto index = request.indices[i];
    TORCH_CHECK_INDEX(index >= 0 && index < count(request.split), "sample ", index, " is outside the data set of ",
                      count(request.split));
    const auto& sample = of(request.split)[static_cast<std::size_t>(index)];
    if (bytes) writer.write(reinterpret_cast<const std::uint8_t*>(sample.input), index, out);
    else std::memcpy(out, sample.input, numbers * sizeof(float));  // may be unaligned
    targets[i] = sample.label;
  }
  return batch;
}

Error badFile(const char* id, const fs::path& file) {
  return {ExitCode::Failed, {id, {{"file", file.string()}}}};
}

std::int64_t integerAt(const std::byte* bytes, const std::string& dtype, std::int64_t index) {
  if (dtype == "U8") return std::to_integer<std::int64_t>(bytes[index]);
  if (dtype == "I32") {
    std::int32_t value = 0;
    std::memcpy(&value, bytes + index * 4, sizeof value);
    return value;
  }
  std::int64_t value = 0;
  std::memcpy(&value, bytes + index * 8, sizeof value);
  return value;
}

// The two tensors of a file, of fitting types and sizes.
struct Pair {
  const StoredTensor *input, *target;
};
wire::Result<Pair> pairOf(const SafetensorsFile& file, const fs::path& path) {
  const Pair pair{file.find("input"), file.find("target")};
  if (!pair.input || !pair.target) return badFile("data.raw_names", path);
  const auto& shape = pair.input->shape;
  const bool sized = shape.size() == 4 && std::all_of(shape.begin(), shape.end(), [](auto size) { return size > 0; }) &&
                     shape[2] <= kMostSide && shape[3] <= kMostSide && shape[1] <= kMostSide;
  if (!sized || (pair.input->dtype != "U8" && pair.input->dtype != "F32")) return badFile("data.raw_input", path);
  const auto& dtype = pair.target->dtype;
  if (pair.target->shape != std::vector<std::int64_t>{shape[0]} || (dtype != "I64" && dtype != "I32" && dtype != "U8"))
    return badFile("data.raw_target", path);
  return pair;
}

wire::Status addFile(RawTensors& data, const fs::path& path) {
  auto opened = SafetensorsFile::open(path);
  if (!opened.ok()) return opened.error();
  const auto pair = pairOf(**opened, path);
  if (!pair.ok()) return pair.error();
  const auto& size = pair->input->shape;
  const bool bytes = pair->input->dtype == "U8";
  auto& shape = data.shape;
  if (data.files.empty()) {
    shape.channels = size[1];
    shape.height = size[2];
    shape.width = size[3];
    shape.classes = 0;
    data.bytes = bytes;
  } else if (shape.channels != size[1] || shape.height != size[2] || shape.width != size[3] || data.bytes != bytes) {
    return badFile("data.raw_differs", path);
  }
  const auto each = static_cast<std::size_t>(size[1] * size[2] * size[3]) * (bytes ? 1 : sizeof(float));
  const auto *inputs = (*opened)->bytes(*pair->input).data(), *targets = (*opened)->bytes(*pair->target).data();
  auto& split = path.filename().string().starts_with("test") ? data.test : data.train;
  for (std::int64_t i = 0; i < size[0]; ++i) {
    const auto label = integerAt(targets, pair->target->dtype, i);
    if (label < 0 || label >= kMostClasses) return badFile("data.raw_target", path);
    split.push_back({inputs + static_cast<std::size_t>(i) * each, label});
    shape.classes = std::max(shape.classes, label + 1);
  }
  data.files.push_back(std::move(opened).value());
  return wire::success();
}

void keepSomeForTesting(RawTensors& data) {
  if (!data.test.empty() || data.train.size() < 2) return;
  std::vector<RawSample> rest;
  for (std::size_t i = 0; i < data.train.size(); ++i) {
    const bool last = data.train.size() < kTestShare && i + 1 == data.train.size();
    (i % kTestShare == kTestShare - 1 || last ? data.test : rest).push_back(data.train[i]);
  }
  data.train = std::move(rest);
}

wire::Result<std::vector<fs::path>> tensorFiles(const std::string& folder) {
  if (folder.empty()) return Error{ExitCode::Usage, {"data.no_folder"}};
  std::error_code failed;
  if (!fs::is_directory(folder, failed)) return Error{ExitCode::Failed, {"data.folder_missing", {{"folder", folder}}}};
  std::vector<fs::path> files;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    if (at->path().extension() == ".safetensors") files.push_back(at->path());
  if (failed) return Error{ExitCode::Failed, {"data.folder_unreadable", {{"folder", folder}, {"why", failed.message()}}}};
  if (files.empty()) return Error{ExitCode::Failed, {"data.raw_none", {{"folder", folder}}}};
  std::sort(files.begin(), files.end());
  return files;
}

wire::Result<std::shared_ptr<RawTensors>> open(const std::string& folder) {
  const auto files = tensorFiles(folder);
  if (!files.ok()) return files.error();
  auto data = std::make_shared<RawTensors>();
  data->id = "raw-tensors";
  for (const auto& file : *files)
    if (auto added = addFile(*data, file); !added.ok()) return added.error();
  keepSomeForTesting(*data);
  if (data->train.empty() || data->test.empty() || data->shape.classes < 2)
    return Error{ExitCode::Failed, {"data.raw_too_few", {{"folder", folder}}}};
  return data;
}

wire::Result<std::shared_ptr<const Dataset>> load(const DataRequest& request) {
  auto data = open(request.spec.text("data_dir"));
  if (!data.ok()) return data.error();
  if (!(*data)->bytes && request.spec.text("augment") != "none" && request.spec.text("mode") == "train")
    return notBytes();
  return std::shared_ptr<const Dataset>(std::move(data).value());
}

constexpr std::string_view kPython = R"py(
def read_tensors(files: list[Path]) -> Pair:
    """Their samples and targets, one file after the other."""
    parts = [load_file(file) for file in files]
    return (torch.cat([part["input"] for part in parts]),
            torch.cat([part["target"].long() for part in parts]))


def load_data(folder: Path) -> list[Pair]:
    """Samples and targets: to train on, and to test on."""
    files = sorted(folder.glob("*.safetensors"))
    tests = [file for file in files if file.name.startswith("test")]
    inputs, targets = read_tensors([file for file in files if file not in tests])
    if tests:
        return [(inputs, targets), read_tensors(tests)]
    kept = torch.arange(len(targets)) % 10 == 9  # every tenth sample, or the last of fewer
    kept[-1] |= len(targets) < 10
    return [(inputs[~kept], targets[~kept]), (inputs[kept], targets[kept])]
)py";

// Of a folder that can't be read, a script is shown as of one with bytes and samples enough.
DataFacts script(ScriptBuilder& script) {
  for (const char* statement : {"from pathlib import Path", "from safetensors.torch import load_file"})
    script.require(statement);
  const auto& folder = script.text("data_dir");
  DataFacts facts{{3, 32, 32, 2}, 1 << 20, 1 << 20};
  bool bytes = true;
  if (const auto data = open(folder); data.ok()) {
    facts = {(*data)->shape, (*data)->count(Split::Train), (*data)->count(Split::Test)};
    bytes = (*data)->bytes;
  }
  script.constant("TENSORS", script.path(folder, 10));
  if (bytes) script.constant("MEAN, DEVIATION", "0.5, 0.25", "of pixel / 255");
  else script.constant("MEAN, DEVIATION", "0.0, 1 / 255", "the samples are taken as they are");
  script.define(kPython);
  script.fill("arguments",
              "parser.add_argument(\"--data\", type=Path, default=TENSORS,\n"
              "                    help=\"folder of the .safetensors files\")");
  script.word("loadArguments", "args.data");
  return facts;
}

}  // namespace

DataUnit data_raw_tensors() {
  DataUnit unit{"raw-tensors", false, load, script};
  unit.needs_folder = true;
  return unit;
}

}  // namespace atelier::engine
