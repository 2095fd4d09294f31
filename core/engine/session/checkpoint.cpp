#include "checkpoint.h"

#include <exception>
#include <set>
#include <unordered_map>
#include <vector>

#include <ATen/core/Dict.h>
#include <ATen/core/jit_type.h>
#include <torch/csrc/jit/serialization/pickler.h>

#include "checkpoint_archive.h"
#include "core/pretrained/whole_file.h"

namespace atelier::engine {
namespace {

namespace fs = std::filesystem;
using wire::Error;
using wire::ExitCode;
using Value = Checkpoint::Value;
constexpr std::string_view kModel = "model.";

// A tensor whose storage holds it and nothing else, on the CPU, without its history.
at::Tensor plain(const at::Tensor& tensor) {
  auto kept = tensor.detach().cpu();
  const bool whole =
      kept.is_non_overlapping_and_dense() && kept.storage_offset() == 0 && kept.storage().nbytes() == kept.nbytes();
  return whole ? kept : kept.clone();
}

class Collector final : public StateArchive {
 public:
  bool loading() const override { return false; }
  void tensor(const std::string& name, at::Tensor& tensor, at::Device) override {
    TORCH_CHECK_NOT_IMPLEMENTED(!tensor.defined() || canBeKept(tensor.scalar_type()), full(name), " is of ",
                                c10::toString(tensor.scalar_type()));
    values[full(name)] = tensor.defined() ? plain(tensor) : at::Tensor();
  }
  void integer(const std::string& name, std::int64_t& value) override { values[full(name)] = value; }
  void number(const std::string& name, double& value) override { values[full(name)] = value; }
  void text(const std::string& name, std::string& value) override { values[full(name)] = value; }

  std::map<std::string, Value> values;
};

c10::impl::GenericDict emptyDict() {
  return c10::impl::GenericDict(c10::StringType::get(), c10::AnyType::get());
}

void put(c10::impl::GenericDict& dict, const std::string& key, const c10::IValue& value) {
  dict.insert(c10::IValue(key), value);
}

c10::IValue pythonValue(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return c10::IValue(*integer);
  if (const auto* number = std::get_if<double>(&value)) return c10::IValue(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return c10::IValue(*text);
  const auto& tensor = std::get<at::Tensor>(value);
  if (!tensor.defined()) return {};
  return c10::isFloat8Type(tensor.scalar_type()) ? c10::IValue(tensor.view(at::kByte)) : c10::IValue(tensor);
}

// The pickle that Python reads, and the tensors whose storages it counts on as "data/0", "data/1", …
struct Pickled {
  std::string bytes;
  std::vector<at::Tensor> tensors;
};

Pickled pickle(const CheckpointHead& head, const std::map<std::string, Value>& values) {
  auto all = emptyDict(), model = emptyDict(), state = emptyDict();
  for (const auto& [name, value] : values) {
    if (name.starts_with(kModel)) put(model, name.substr(kModel.size()), pythonValue(value));
    else put(state, name, pythonValue(value));
  }
  put(all, "format", std::string("atelier checkpoint ") + std::to_string(kCheckpointVersion));
  put(all, "run", head.run);
  put(all, "step", head.step);
  put(all, "spec", head.spec.dump());
  put(all, "model", model);
  put(all, "state", state);
  Pickled pickled;
  {
    // Without type tags: weights_only=True takes no function that would restore TorchScript's types.
    torch::jit::Pickler pickler([&](const char* data, std::size_t size) { pickled.bytes.append(data, size); }, nullptr, nullptr,
                                nullptr, nullptr, /*tag_aggregates=*/false);
    pickler.protocol();
    pickler.pushIValue(all);
    pickler.stop();
    pickled.tensors = pickler.tensorData();
  }
  return pickled;
}

CheckpointIndex indexOf(const CheckpointHead& head, const std::map<std::string, Value>& values,
                        const std::vector<at::Tensor>& records) {
  CheckpointIndex index{head};
  std::unordered_map<const void*, std::int64_t> places;
  for (const auto& tensor : records) {
    places[tensor.storage().unsafeGetStorageImpl()] = static_cast<std::int64_t>(index.checksums.size());
    index.checksums.push_back(checksum(tensor.storage().data(), tensor.storage().nbytes()));
  }
  for (const auto& [name, value] : values) {
    const auto* tensor = std::get_if<at::Tensor>(&value);
    if (tensor && tensor->defined()) {
      index.values[name] = StoredTensorPlace{places.at(tensor->storage().unsafeGetStorageImpl()), tensor->scalar_type(),
                                             tensor->sizes().vec(), tensor->strides().vec()};
    } else if (tensor) {
      index.values[name] = StoredTensorPlace{};
    } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
      index.values[name] = *integer;
    } else if (const auto* number = std::get_if<double>(&value)) {
      index.values[name] = *number;
    } else {
      index.values[name] = std::get<std::string>(value);
    }
  }
  return index;
}

void writeRecords(pretrained::WholeFile& whole, const Pickled& pickled, const std::string& index) {
  // The function must not fail: PyTorch's writer throws from its destructor then. `whole` keeps the error.
  caffe2::serialize::PyTorchStreamWriter writer([&whole](const void* data, std::size_t bytes) {
    whole.write(data, bytes);
    return bytes;
  });
  const auto record = [&](const std::string& name, const std::string& bytes) {
    writer.writeRecord(name, bytes.data(), bytes.size());
  };
  record(kPickleRecord, pickled.bytes);
  record("byteorder", "little");
  for (std::size_t i = 0; i < pickled.tensors.size(); ++i) {
    const auto& storage = pickled.tensors[i].storage();
    writer.writeRecord(dataRecord(static_cast<std::int64_t>(i)), storage.data(), storage.nbytes());
  }
  record(kIndexRecord, index);
  record(kChecksumRecord, checksumText(pickled.bytes, index));
  writer.writeEndOfFile();
}

class Restorer final : public StateArchive {
 public:
  explicit Restorer(const std::map<std::string, Value>& values) : m_values(values) {}

  bool loading() const override { return true; }
  void tensor(const std::string& name, at::Tensor& tensor, at::Device device) override {
    put(full(name), kept<at::Tensor>(full(name)), tensor, device);
  }
  void integer(const std::string& name, std::int64_t& value) override { value = kept<std::int64_t>(full(name)); }
  void number(const std::string& name, double& value) override { value = kept<double>(full(name)); }
  void text(const std::string& name, std::string& value) override { value = kept<std::string>(full(name)); }

  const std::set<std::string>& asked() const { return m_asked; }

 private:
  template <class T>
  const T& kept(const std::string& name) {
    const auto found = m_values.find(name);
    if (found == m_values.end()) throw StateMismatch({"checkpoint.lacks", {{"name", name}}});
    m_asked.insert(name);
    const auto* value = std::get_if<T>(&found->second);
    if (!value) throw StateMismatch({"checkpoint.kind", {{"name", name}}});
    return *value;
  }

  const std::map<std::string, Value>& m_values;
  std::set<std::string> m_asked;
};

// The name of the first part that isn't sound; "" when all are.
std::string readValues(CheckpointRecords& records, const CheckpointIndex& index, std::map<std::string, Value>& values) {
  for (const auto& [name, stored] : index.values) {
    if (const auto* integer = std::get_if<std::int64_t>(&stored)) values[name] = *integer;
    else if (const auto* number = std::get_if<double>(&stored)) values[name] = *number;
    else if (const auto* text = std::get_if<std::string>(&stored)) values[name] = *text;
    const auto* place = std::get_if<StoredTensorPlace>(&stored);
    if (!place) continue;
    at::Tensor tensor;
    if (place->record >= 0) {
      tensor = at::empty_strided(place->sizes, place->strides, at::TensorOptions().dtype(place->type));
      if (!records.read(dataRecord(place->record), tensor.mutable_data_ptr(), tensor.nbytes()) ||
          checksum(tensor.const_data_ptr(), tensor.nbytes()) != index.checksums[static_cast<std::size_t>(place->record)])
        return name;
    }
    values[name] = tensor;
  }
  return "";
}

}  // namespace

wire::Result<std::int64_t> writeCheckpoint(const fs::path& file, const CheckpointHead& head, const StateVisit& visit) {
  try {
    const at::NoGradGuard noGrad;
    Collector collector;
    visit(collector);
    const auto pickled = pickle(head, collector.values);
    const auto index = encodeIndex(indexOf(head, collector.values, pickled.tensors));
    pretrained::WholeFile whole(file);
    writeRecords(whole, pickled, index);
    const auto size = static_cast<std::int64_t>(whole.size());
    if (auto written = whole.commit(); !written.ok()) return written.error();
    return size;
  } catch (const std::exception& problem) {
    const auto* known = dynamic_cast<const c10::Error*>(&problem);
    const std::string reason = known ? known->what_without_backtrace() : problem.what();
    return Error{ExitCode::Failed, {"file.not_written", {{"file", file.string()}, {"reason", reason}}}};
  }
}

wire::Result<std::shared_ptr<const Checkpoint>> Checkpoint::open(const fs::path& file) {
  auto records = CheckpointRecords::open(file);
  if (!records.ok()) return records.error();
  const auto damaged = [&](const std::string& part) {
    return Error{ExitCode::Usage, {"checkpoint.damaged", {{"file", file.string()}, {"part", part}}}};
  };
  try {
    auto& read = **records;
    const auto index = read.text(kIndexRecord);
    if (read.text(kChecksumRecord) != checksumText(read.text(kPickleRecord), index)) return damaged(kIndexRecord);
    std::int64_t version = 0;
    const auto decoded = decodeIndex(index, read.fileBytes(), version);
    if (!decoded && version > kCheckpointVersion)
      return Error{ExitCode::Usage, {"checkpoint.newer", {{"file", file.string()}}}};
    if (!decoded) return damaged(kIndexRecord);
    const auto checkpoint = std::make_shared<Checkpoint>();
    checkpoint->m_head = decoded->head;
    if (const auto part = readValues(read, *decoded, checkpoint->m_values); !part.empty()) return damaged(part);
    return std::shared_ptr<const Checkpoint>(checkpoint);
  } catch (const std::exception&) {  // of the archive's own structure
    return damaged("zip");
  }
}

wire::Status Checkpoint::load(const StateVisit& visit) const {
  Restorer restorer(m_values);
  try {
    visit(restorer);
  } catch (const StateMismatch& mismatch) {
    return Error{ExitCode::Usage, mismatch.message()};
  }
  for (const auto& [name, value] : m_values)
    if (!restorer.asked().contains(name)) return Error{ExitCode::Usage, {"checkpoint.left_over", {{"name", name}}}};
  return wire::success();
}

}  // namespace atelier::engine
