// Checkpoint files: what is written is read back bit for bit, and nothing else is taken for one.
#include "core/engine/session/checkpoint.h"

#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "core/engine/session/checkpoint_archive.h"
#include "core/pretrained/whole_file.h"
#include "listened.h"
#include "text_fixture.h"

namespace atelier::engine {
namespace {

namespace fs = std::filesystem;
using fixture::TextFolder;
using nlohmann::json;
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

// One of everything that a state may hold.
struct State {
  at::Tensor weights, absent, scalar, none, narrow, tiny, mask, picture, part;
  std::int64_t integer = 0;
  double infinite = 0, nothing = 0, zero = 0, tenth = 0;
  std::string text{};

  void visit(StateArchive& archive) {
    archive.tensor("model.0.weight", weights);
    const StateArchive::Scope scope(archive, "optimizer");
    archive.tensor("absent", absent);
    archive.tensor("scalar", scalar);
    archive.tensor("none", none);
    archive.tensor("narrow", narrow);
    archive.tensor("tiny", tiny);
    archive.tensor("mask", mask);
    archive.tensor("picture", picture);
    archive.tensor("part", part);
    archive.integer("integer", integer);
    archive.number("infinite", infinite);
    archive.number("nothing", nothing);
    archive.number("zero", zero);
    archive.number("tenth", tenth);
    archive.text("text", text);
  }
};

StateVisit visitOf(State& state) {
  return [&state](StateArchive& archive) { state.visit(archive); };
}

State sample() {
  State state;
  state.weights = at::arange(600, at::kFloat).view({20, 30}).div(7);
  state.scalar = at::scalar_tensor(kLeast, at::kLong);
  state.none = at::zeros({0, 3});
  state.narrow = at::arange(5, at::kFloat).to(at::kBFloat16);
  state.tiny = at::arange(4, at::kFloat).to(at::kFloat8_e4m3fn);
  state.mask = at::arange(3).gt(1);
  state.picture = at::arange(96, at::kFloat).view({2, 3, 4, 4}).contiguous(at::MemoryFormat::ChannelsLast);
  state.part = at::arange(100, at::kFloat).slice(0, 10, 90, 2);
  state.integer = -42;
  state.infinite = -std::numeric_limits<double>::infinity();
  state.nothing = std::nan("");
  state.zero = -0.0;
  state.tenth = 0.1;
  state.text = "a \"text\"\né";
  return state;
}

const CheckpointHead kHead{"20261201-000000-abcdef", 17, {{"model", "mlp"}, {"rate", 0.1}}, {2, 15}};

// The same bits, at the same places.
bool equalTensors(const at::Tensor& a, const at::Tensor& b) {
  if (a.defined() != b.defined()) return false;
  if (!a.defined()) return true;
  if (a.scalar_type() != b.scalar_type() || a.sizes() != b.sizes()) return false;
  const auto x = a.contiguous(), y = b.contiguous();
  return x.nbytes() == 0 || std::memcmp(x.const_data_ptr(), y.const_data_ptr(), x.nbytes()) == 0;
}

bool equalValues(const Checkpoint::Value& a, const Checkpoint::Value& b) {
  if (a.index() != b.index()) return false;
  if (const auto* tensor = std::get_if<at::Tensor>(&a)) return equalTensors(*tensor, std::get<at::Tensor>(b));
  if (const auto* number = std::get_if<double>(&a)) {
    const double other = std::get<double>(b);
    return std::isnan(*number) ? std::isnan(other) : *number == other && std::signbit(*number) == std::signbit(other);
  }
  if (const auto* text = std::get_if<std::string>(&a)) return *text == std::get<std::string>(b);
  return std::get<std::int64_t>(a) == std::get<std::int64_t>(b);
}

std::string contentOf(const fs::path& file) {
  std::ifstream input(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(input), {}};
}

std::string refusalOf(const fs::path& file) {
  const auto opened = Checkpoint::open(file);
  return opened.ok() ? "" : opened.error().messages.front().id;
}

class CheckpointFile : public testing::Test {
 protected:
  CheckpointFile() : m_state(sample()), m_file(m_folder.path() / kCheckpointFile) {
    const auto written = writeCheckpoint(m_file, kHead, visitOf(m_state));
    EXPECT_TRUE(written.ok());
    EXPECT_EQ(static_cast<std::uintmax_t>(*written), fs::file_size(m_file));
    m_content = contentOf(m_file);
  }
  fs::path altered(const std::string& content) const { return m_folder.write("altered.pt", content); }

  TextFolder m_folder;
  State m_state;
  fs::path m_file;
  std::string m_content;
};

// An archive with the records of ours, whatever they say.
void writeArchive(const fs::path& file, const std::string& index, bool soundSum = true) {
  pretrained::WholeFile whole(file);
  caffe2::serialize::PyTorchStreamWriter writer([&whole](const void* data, std::size_t bytes) {
    whole.write(data, bytes);
    return bytes;
  });
  const std::string pickle = "pickle", sum = soundSum ? checksumText(pickle, index) : "crc32 1 2";
  writer.writeRecord(kPickleRecord, pickle.data(), pickle.size());
  writer.writeRecord(kIndexRecord, index.data(), index.size());
  writer.writeRecord(kChecksumRecord, sum.data(), sum.size());
  writer.writeEndOfFile();
  ASSERT_TRUE(whole.commit().ok());
}

json indexJson() {
  return json::parse(encodeIndex({kHead}));
}

}  // namespace

TEST_F(CheckpointFile, GivesBackEveryBit) {
  const auto opened = Checkpoint::open(m_file);
  ASSERT_TRUE(opened.ok());
  const auto& head = (*opened)->head();
  EXPECT_EQ(head.run, kHead.run);
  EXPECT_EQ(head.step, 17);
  EXPECT_EQ(head.spec, kHead.spec);
  EXPECT_EQ(head.position, kHead.position);
  State other;
  ASSERT_TRUE((*opened)->load(visitOf(other)).ok());
  const std::vector<at::Tensor State::*> members{&State::weights, &State::absent, &State::scalar,  &State::none, &State::narrow,
                                                 &State::tiny,    &State::mask,   &State::picture, &State::part};
  for (std::size_t i = 0; i < members.size(); ++i)
    EXPECT_TRUE(equalTensors(m_state.*members[i], other.*members[i])) << "member " << i;
  EXPECT_EQ(other.picture.strides(), m_state.picture.strides());
  EXPECT_EQ(other.integer, -42);
  EXPECT_EQ(other.infinite, m_state.infinite);
  EXPECT_TRUE(std::isnan(other.nothing));
  EXPECT_TRUE(std::signbit(other.zero));
  EXPECT_EQ(other.tenth, 0.1);
  EXPECT_EQ(other.text, m_state.text);
}

TEST_F(CheckpointFile, APartOfATensorTakesNoMoreThanThatPart) {
  State lean = m_state;
  lean.part = at::arange(1'000'000, at::kFloat).slice(0, 0, 40);
  const auto written = writeCheckpoint(m_folder.path() / "lean.pt", kHead, visitOf(lean));
  ASSERT_TRUE(written.ok());
  EXPECT_LT(*written, 100'000);
}

TEST_F(CheckpointFile, OneThatWasCutShortIsNeverTaken) {
  for (std::size_t length = 0; length < m_content.size(); length += 1024)
    EXPECT_EQ(refusalOf(altered(m_content.substr(0, length))), "checkpoint.cut_short") << length << " bytes";
  EXPECT_NE(refusalOf(altered(m_content.substr(0, m_content.size() - 1))), "");
  EXPECT_NE(refusalOf(altered(m_content.substr(1))), "");
  EXPECT_EQ(refusalOf(altered(m_content)), "");
}

// A byte of padding may be another; what is kept may not.
TEST_F(CheckpointFile, AFlippedByteIsFoundOrMeansNothing) {
  const auto original = Checkpoint::open(m_file);
  ASSERT_TRUE(original.ok());
  int refused = 0;
  for (std::size_t at = 0; at < m_content.size(); at += 53) {
    auto content = m_content;
    content[at] = static_cast<char>(content[at] ^ (1 << at % 8));
    const auto opened = Checkpoint::open(altered(content));
    if (!opened.ok()) {
      ++refused;
      continue;
    }
    ASSERT_EQ((*opened)->values().size(), (*original)->values().size()) << "byte " << at;
    for (const auto& [name, value] : (*original)->values())
      EXPECT_TRUE(equalValues((*opened)->values().at(name), value)) << name << ", byte " << at;
    EXPECT_EQ((*opened)->head().step, kHead.step);
  }
  EXPECT_GT(refused, 20);
}

TEST_F(CheckpointFile, EveryByteOfATensorIsGuarded) {
  const auto weights = m_state.weights.contiguous();
  const auto at = m_content.find(std::string(static_cast<const char*>(weights.const_data_ptr()), weights.nbytes()));
  ASSERT_NE(at, std::string::npos);
  auto content = m_content;
  content[at + 1000] = static_cast<char>(content[at + 1000] ^ 4);
  const auto opened = Checkpoint::open(altered(content));
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, wire::ExitCode::Usage);
  EXPECT_EQ(opened.error().messages.front().id, "checkpoint.damaged");
  EXPECT_EQ(argument(opened.error().messages.front(), "part"), "model.0.weight");
}

TEST_F(CheckpointFile, AnotherFileIsNone) {
  EXPECT_EQ(refusalOf(altered("not a checkpoint at all")), "checkpoint.foreign");
  EXPECT_EQ(refusalOf(m_folder.path() / "none.pt"), "checkpoint.not_there");
  EXPECT_EQ(refusalOf(m_folder.path()), "checkpoint.not_there") << "a folder";
  pretrained::WholeFile whole(m_folder.path() / "python.pt");
  {
    caffe2::serialize::PyTorchStreamWriter writer([&whole](const void* data, std::size_t bytes) {
      whole.write(data, bytes);
      return bytes;
    });
    writer.writeRecord("data.pkl", "x", 1);
    writer.writeEndOfFile();
  }
  ASSERT_TRUE(whole.commit().ok());
  EXPECT_EQ(refusalOf(m_folder.path() / "python.pt"), "checkpoint.foreign") << "an archive of PyTorch's";
  EXPECT_EQ(refusalOf(altered(std::string("PK\x05\x06", 4) + std::string(18, '\0'))), "checkpoint.foreign") << "an empty zip";
}

TEST_F(CheckpointFile, ANewerOneIsNamedAsSuch) {
  auto index = indexJson();
  writeArchive(m_folder.path() / "other.pt", index.dump());
  EXPECT_EQ(refusalOf(m_folder.path() / "other.pt"), "") << "a state that holds nothing";
  writeArchive(m_folder.path() / "other.pt", index.dump(), false);
  EXPECT_EQ(refusalOf(m_folder.path() / "other.pt"), "checkpoint.damaged") << "the sum is another's";
  index["version"] = kCheckpointVersion + 1;
  writeArchive(m_folder.path() / "other.pt", index.dump());
  EXPECT_EQ(refusalOf(m_folder.path() / "other.pt"), "checkpoint.newer");
}

// Whoever can write a check sum can write anything in front of it.
TEST_F(CheckpointFile, AHostileIndexIsRefused) {
  const json sound{{"record", 0}, {"type", "Float"}, {"sizes", {2, 3}}, {"strides", {3, 1}}};
  const auto read = [](const json& value) {
    auto index = indexJson();
    index["checksums"] = {1};
    index["values"] = {{"x", value}};
    std::int64_t version = 0;
    return decodeIndex(index.dump(), 1000, version).has_value();
  };
  EXPECT_TRUE(read(sound));
  const auto with = [&](const char* key, const json& value) {
    auto other = sound;
    other[key] = value;
    return read(other);
  };
  EXPECT_FALSE(with("record", 1)) << "no such record";
  EXPECT_FALSE(with("record", -1));
  EXPECT_FALSE(with("record", 0.5));
  EXPECT_FALSE(with("record", 18446744073709551615ULL));
  EXPECT_FALSE(with("type", "Undefined"));
  EXPECT_FALSE(with("type", "UNKNOWN_SCALAR"));
  EXPECT_FALSE(with("sizes", {2, -3}));
  EXPECT_FALSE(with("sizes", {2}));
  EXPECT_FALSE(with("sizes", {4294967296LL, 4294967296LL}));
  EXPECT_FALSE(with("sizes", {1000, 1000}));
  EXPECT_FALSE(with("strides", {1, 1})) << "elements that share a place";
  EXPECT_FALSE(with("strides", {4, 1})) << "a gap";
  EXPECT_FALSE(with("strides", {9223372036854775807LL, 1}));
  EXPECT_TRUE(with("strides", {1, 2})) << "a transposed one";
  EXPECT_FALSE(read({{"number", "0x10"}}));
  EXPECT_FALSE(read({{"integer", "5"}}));
  EXPECT_FALSE(read(7));
  std::int64_t version = 0;
  for (const char* text : {"", "[]", "{}", "{\"version\":1}", "{\"version\":1,\"run\":\"x\"}"})
    EXPECT_FALSE(decodeIndex(text, 1000, version).has_value()) << text;
}

TEST_F(CheckpointFile, WhatDoesNotFitIsNamed) {
  const auto opened = Checkpoint::open(m_file);
  ASSERT_TRUE(opened.ok());
  const auto refusal = [&](const StateVisit& visit) {
    const auto loaded = (*opened)->load(visit);
    return loaded.ok() ? "" : loaded.error().messages.front().id + " " + argument(loaded.error().messages.front(), "name");
  };
  State wide = sample();
  wide.weights = at::zeros({30, 20});
  EXPECT_EQ(refusal(visitOf(wide)), "checkpoint.shape model.0.weight");
  State exact = sample();
  exact.weights = at::zeros({20, 30}, at::kDouble);
  EXPECT_EQ(refusal(visitOf(exact)), "checkpoint.dtype model.0.weight");
  State other = sample();
  EXPECT_EQ(refusal([&](StateArchive& archive) {
              other.visit(archive);
              archive.integer("scaler.steps", other.integer);
            }),
            "checkpoint.lacks scaler.steps");
  EXPECT_EQ(refusal([&](StateArchive& archive) { archive.integer("optimizer.tenth", other.integer); }),
            "checkpoint.kind optimizer.tenth");
  EXPECT_EQ(refusal([&](StateArchive& archive) { archive.tensor("model.0.weight", other.weights); }),
            "checkpoint.left_over optimizer.absent");
}

// A file can't grow beyond a limit: as on a disk that is full in the middle of it.
TEST_F(CheckpointFile, AFullDiskKeepsTheFormerOne) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{4096, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto written = writeCheckpoint(m_file, kHead, visitOf(m_state));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().messages.front().id, "file.disk_full");
  EXPECT_EQ(contentOf(m_file), m_content);
  EXPECT_EQ(std::distance(fs::directory_iterator(m_folder.path()), fs::directory_iterator()), 1) << "nothing is left of it";
}

TEST_F(CheckpointFile, WhatAKilledWriterLeftIsNoneAndIsWrittenOver) {
  const auto part = m_folder.write("." + std::string(kCheckpointFile) + ".part", m_content.substr(0, m_content.size() / 2));
  EXPECT_EQ(refusalOf(part), "checkpoint.cut_short");
  ASSERT_TRUE(writeCheckpoint(m_file, kHead, visitOf(m_state)).ok());
  EXPECT_FALSE(fs::exists(part));
  EXPECT_EQ(refusalOf(m_file), "");
}

TEST(CheckpointOfATrainer, InterruptedAndResumedEqualsUninterruptedBitForBit) {
  const std::vector<json> specs{{{"model", "mlp"}, {"optimizer", "adamw"}, {"schedule", "cosine"}},
                                {{"model", "mlp"}, {"optimizer", "sgd"}, {"learning_rate", 0.05}, {"accumulation", 3}},
                                {{"model", "cnn"}, {"augment", "standard"}, {"learning_rate", 1e-4}, {"workers", 1}},
                                {{"model", "cnn"}, {"channels_last", true}, {"optimizer", "sgd"}, {"learning_rate", 0.01}}};
  const TextFolder folder;
  for (auto keys : specs) {
    keys.update({{"steps", 20}, {"warmup", 0}, {"deterministic", true}});
    Listened first(keys), second(keys);
    const auto visit = [](Trainer& trainer) { return [&trainer](StateArchive& archive) { trainer.state(archive); }; };
    first.trainer.activate();
    first.steps(7);
    const auto file = folder.path() / kCheckpointFile;
    ASSERT_TRUE(writeCheckpoint(file, {"run", 7, keys, {0, 7}}, visit(first.trainer)).ok()) << keys;
    std::vector<double> expected, losses;
    for (int i = 0; i < 7; ++i) expected.push_back(*first.trainer.step().loss);
    const auto opened = Checkpoint::open(file);
    ASSERT_TRUE(opened.ok());
    second.trainer.activate();
    second.steps(3);
    const auto loaded = (*opened)->load(visit(second.trainer));
    ASSERT_TRUE(loaded.ok()) << loaded.error().messages.front().id;
    EXPECT_EQ(second.trainer.steps(), 7);
    for (int i = 0; i < 7; ++i) losses.push_back(*second.trainer.step().loss);
    EXPECT_EQ(losses, expected) << keys;
    const auto ours = first.trainer.model().named_parameters(), theirs = second.trainer.model().named_parameters();
    for (const auto& parameter : ours)
      EXPECT_TRUE(equalTensors(parameter.value().detach(), theirs[parameter.key()].detach())) << keys << parameter.key();
  }
}

TEST(CheckpointOfATrainer, HoldsTheModelByItsPaths) {
  const TextFolder folder;
  Listened run(nlohmann::json{{"model", "cnn"}});
  ASSERT_TRUE(writeCheckpoint(folder.path() / "c.pt", {}, [&](StateArchive& archive) { run.trainer.state(archive); }).ok());
  const auto opened = Checkpoint::open(folder.path() / "c.pt");
  ASSERT_TRUE(opened.ok());
  for (const auto& parameter : run.trainer.model().named_parameters())
    EXPECT_TRUE((*opened)->values().contains("model." + parameter.key())) << parameter.key();
}

}  // namespace atelier::engine
