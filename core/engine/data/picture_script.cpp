#include "picture_script.h"

namespace atelier::engine {
namespace {

constexpr std::string_view kPython = R"py(
def read_picture(file: Path) -> torch.Tensor:
    """Its middle square as bytes (3, IMAGE_SIZE, IMAGE_SIZE)."""
    picture = decode_image(str(file), ImageReadMode.RGB)
    return center_crop(resize(picture, [IMAGE_SIZE], antialias=True), [IMAGE_SIZE])


def pictures_of(folder: Path) -> list[list[Path]]:
    """The pictures of each class, in the order of their names."""
    classes = sorted(entry for entry in folder.iterdir()
                     if entry.is_dir() and not entry.name.startswith("."))
    return [sorted(file for file in one.iterdir()
                   if file.suffix.lower() in (".jpg", ".jpeg", ".png")
                   and not file.name.startswith("."))
            for one in classes]


def read_pictures(classes: list[list[Path]]) -> Pair:
    """All of them decoded, and the numbers of their classes."""
    files = [file for one in classes for file in one]
    labels = [number for number, one in enumerate(classes) for _ in one]
    return torch.stack([read_picture(file) for file in files]), torch.tensor(labels)


def load_data(folder: Path) -> list[Pair]:
    """Pictures of bytes and their classes: to train on, and to test on."""
    train = folder / "train" if (folder / "train").is_dir() else folder
    tests = [folder / name for name in ("test", "val", "validation") if (folder / name).is_dir()]
    if train != folder and tests:
        return [read_pictures(pictures_of(train)), read_pictures(pictures_of(tests[0]))]
    classes = pictures_of(train)  # every tenth picture, or the last of fewer, is kept for testing
    kept = [one[9::10] or one[1:][-1:] for one in classes]
    rest = [[file for file in one if file not in tests] for one, tests in zip(classes, kept)]
    return [read_pictures(rest), read_pictures(kept)]
)py";

}  // namespace

void addPictures(ScriptBuilder& script, const std::string& folder) {
  for (const char* statement : {"from pathlib import Path", "from torchvision.io import ImageReadMode, decode_image",
                                "from torchvision.transforms.v2.functional import center_crop, resize"})
    script.require(statement);
  script.constant("PICTURES", folder);
  script.constant("IMAGE_SIZE", std::to_string(script.integer("image_size")));
  script.constant("MEAN, DEVIATION", "0.45, 0.23", "of pixel / 255, over photographs");
  script.define(kPython);
  script.fill("arguments",
              "parser.add_argument(\"--data\", type=Path, default=PICTURES,\n"
              "                    help=\"folder of the pictures\")");
  script.word("loadArguments", "args.data");
  script.remark(
      "data: all pictures are decoded before the first step here, and smoothed when they are made\n"
      "smaller; the native engine decodes them batch by batch, so its pixels differ a little.");
}

}  // namespace atelier::engine
