// fashion-mnist: 60,000 training and 10,000 evaluation images of clothes, 28×28 grey, ten classes, from the gzip'd IDX files
// of Debian's package dataset-fashion-mnist (or a folder named by ATELIER_FASHION_MNIST). Sizes, headers and labels are
// checked.
#include <cstdlib>
#include <filesystem>

#include <zlib.h>

#include "core/engine/script/builder.h"
#include "image_dataset.h"

namespace atelier::engine {
namespace {

using wire::Error;
using wire::ExitCode;
constexpr std::int64_t kSide = 28, kClasses = 10;

Error damaged(const std::string& file, const char* why) {
  return {ExitCode::Failed, {"data.damaged", {{"file", file}, {"why", why}}}};
}

// The IDX format: a big-endian magic number, then the sizes, then bytes.
wire::Result<std::vector<std::uint8_t>> readIdx(const std::filesystem::path& file, std::uint32_t magic,
                                                const std::vector<std::uint32_t>& sizes) {
  if (!std::filesystem::exists(file))
    return Error{ExitCode::Failed, {"data.missing", {{"file", file.string()}, {"package", "dataset-fashion-mnist"}}}};
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> input(gzopen(file.c_str(), "rb"), gzclose);
  if (!input) return damaged(file, "open");
  gzbuffer(input.get(), 1 << 18);
  const auto word = [&](std::uint32_t& value) {
    unsigned char bytes[4];
    if (gzread(input.get(), bytes, 4) != 4) return false;
    value = static_cast<std::uint32_t>(bytes[0]) << 24 | static_cast<std::uint32_t>(bytes[1]) << 16 |
            static_cast<std::uint32_t>(bytes[2]) << 8 | bytes[3];
    return true;
  };
  std::uint32_t read = 0;
  if (!word(read) || read != magic) return damaged(file, "magic");
  std::size_t total = 1;
  for (const auto size : sizes) {
    if (!word(read) || read != size) return damaged(file, "size");
    total *= size;
  }
  std::vector<std::uint8_t> bytes(total);
  if (gzread(input.get(), bytes.data(), static_cast<unsigned>(total)) != static_cast<int>(total))
    return damaged(file, "truncated");
  char extra = 0;
  if (gzread(input.get(), &extra, 1) != 0) return damaged(file, "trailing");  // also verifies the checksum
  return bytes;
}

wire::Result<ImageSet> readSet(const std::filesystem::path& folder, const std::string& stem, std::uint32_t count) {
  auto pixels = readIdx(folder / (stem + "-images-idx3-ubyte.gz"), 0x803, {count, kSide, kSide});
  if (!pixels.ok()) return pixels.error();
  const auto file = folder / (stem + "-labels-idx1-ubyte.gz");
  auto labels = readIdx(file, 0x801, {count});
  if (!labels.ok()) return labels.error();
  for (const auto label : *labels)
    if (label >= kClasses) return damaged(file, "label");
  return ImageSet{count, std::move(pixels).value(), std::move(labels).value()};
}

wire::Result<std::shared_ptr<const Dataset>> load(const DataRequest&) {
  const char* chosen = std::getenv("ATELIER_FASHION_MNIST");
  const std::filesystem::path folder = chosen && *chosen ? chosen : "/usr/share/datasets/fashion-mnist";
  auto train = readSet(folder, "train", 60000);
  if (!train.ok()) return train.error();
  auto evaluation = readSet(folder, "t10k", 10000);
  if (!evaluation.ok()) return evaluation.error();
  auto data = std::make_shared<ImageDataset>();
  data->id = "fashion-mnist";
  data->shape = {1, kSide, kSide, kClasses};
  data->mean = 0.2860F;  // of the training images, a test computes both again
  data->deviation = 0.3530F;
  data->train = std::move(train).value();
  data->evaluation = std::move(evaluation).value();
  return std::shared_ptr<const Dataset>(std::move(data));
}

constexpr std::string_view kPython = R"py(
def read_idx(file: Path, header: int) -> torch.Tensor:
    """The bytes of a gzip'd IDX file after its header."""
    with gzip.open(file) as content:
        return torch.frombuffer(bytearray(content.read()[header:]), dtype=torch.uint8)


def load_data(folder: Path) -> list[Pair]:
    """Images (N, 1, 28, 28) of bytes and labels: to train on, and to test on."""
    return [(read_idx(folder / f"{split}-images-idx3-ubyte.gz", 16).view(-1, 1, 28, 28),
             read_idx(folder / f"{split}-labels-idx1-ubyte.gz", 8).long())
            for split in ("train", "t10k")]
)py";

DataFacts script(ScriptBuilder& script) {
  for (const char* statement : {"import gzip", "import os", "from pathlib import Path"}) script.require(statement);
  script.constant("FOLDER", "os.environ.get(\"ATELIER_FASHION_MNIST\") or \"/usr/share/datasets/fashion-mnist\"");
  script.constant("MEAN, DEVIATION", "0.2860, 0.3530", "of pixel / 255, over the training images");
  script.define(kPython);
  script.fill("arguments",
              "parser.add_argument(\"--data\", type=Path, default=FOLDER,\n"
              "                    help=\"folder of the four .gz files\")");
  script.word("loadArguments", "args.data");
  return {{1, kSide, kSide, kClasses}, 60000, 10000};
}

}  // namespace

DataUnit data_fashion_mnist() {
  return {"fashion-mnist", false, load, script};
}

}  // namespace atelier::engine
