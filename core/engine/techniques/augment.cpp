// augment: training pictures changed by chance, epoch by epoch: mirrored, shifted, turned, painted over. The work is the
// loader's (data/augment.h); here are its key and its Python.
#include "core/engine/data/augment.h"

#include "core/engine/script/builder.h"
#include "technique.h"

namespace atelier::engine {
namespace {

constexpr std::string_view kHead = R"py(
def augment(images: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    """Bytes (N, C, H, W) changed by chance; `index` are the samples' numbers, in their order."""
    place = torch.arange(1, len(index) + 1)  # no epoch draws another's numbers
    generator = torch.Generator().manual_seed(SEED + int((index * place).sum()))
    @augmentations@
    return images
)py";

constexpr std::string_view kRotate = R"py(
images = rotated(images, generator))py";

constexpr std::string_view kCrop = R"py(
images = shifted(images, generator))py";

constexpr std::string_view kFlip = R"py(
mirrored = torch.rand(len(images), 1, 1, 1, generator=generator) < 0.5
images = torch.where(mirrored, images.flip(3), images))py";

constexpr std::string_view kErase = R"py(
images = erased(images, generator))py";

constexpr std::string_view kRotated = R"py(
def rotated(images: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Each turned about its middle by @degrees@ degrees at most, bilinear, black outside."""
    count, _, height, width = images.shape
    angles = torch.deg2rad(@degrees@ * (2 * torch.rand(count, generator=generator) - 1))
    cosine, sine, zero = angles.cos(), angles.sin(), torch.zeros(count)
    turns = torch.stack([torch.stack([cosine, sine * height / width, zero], 1),
                         torch.stack([-sine * width / height, cosine, zero], 1)], 1)
    grid = F.affine_grid(turns, list(images.shape), align_corners=False)
    return F.grid_sample(images.float(), grid, align_corners=False).round().to(torch.uint8)
)py";

constexpr std::string_view kShifted = R"py(
def shifted(images: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Each moved by 1/@share@ of its side at most, black where nothing is."""
    count, _, height, width = images.shape
    high, wide = max(1, height // @share@), max(1, width // @share@)
    padded = F.pad(images, (wide, wide, high, high))
    down = torch.randint(2 * high + 1, (count, 1), generator=generator)
    right = torch.randint(2 * wide + 1, (count, 1), generator=generator)
    rows, columns = torch.arange(height) + down, torch.arange(width) + right
    which = torch.arange(count).view(-1, 1, 1)
    return padded[which, :, rows[:, :, None], columns[:, None, :]].movedim(3, 1)
)py";

constexpr std::string_view kErased = R"py(
def erased(images: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """A rectangle of every other one painted over with the mean."""
    images, fill = images.clone(), round(255 * MEAN)
    for image in images:
        if torch.rand((), generator=generator) < 0.5:
            continue
        place = []
        for side in image.shape[1:]:
            least, most = max(1, side // @least@), max(1, side // @least@, side // @most@)
            size = int(torch.randint(least, most + 1, (), generator=generator))
            begin = int(torch.randint(side - size + 1, (), generator=generator))
            place.append(slice(begin, begin + size))
        image[:, place[0], place[1]] = fill
    return images
)py";

void script(ScriptBuilder& script) {
  if (!script.training() || script.text("augment") == "none") return;
  if (script.input().tokens) {
    script.remark("augment: changes pictures, and this run reads sentences.");
    return;
  }
  const auto asked = augmentationOf(script.spec());
  if (asked.crop || asked.rotate) script.require("import torch.nn.functional as F");
  script.remark(
      "augment: the same distribution as the native engine's, from other draws; that one draws for\n"
      "each picture from (seed, epoch, number).");
  if (asked.rotate) script.define(withValues(kRotated, {{"degrees", kMostDegrees}}));
  if (asked.crop) script.define(withValues(kShifted, {{"share", kCropShare}}));
  if (asked.erase) script.define(withValues(kErased, {{"least", kEraseLeast}, {"most", kEraseMost}}));
  script.define(kHead);
  if (asked.rotate) script.fill("augmentations", kRotate);
  if (asked.crop) script.fill("augmentations", kCrop);
  if (asked.flip) script.fill("augmentations", kFlip);
  if (asked.erase) script.fill("augmentations", kErase);
}

}  // namespace

TechniqueUnit technique_augment() {
  auto option = wire::choiceOption("augment", {"none", "flip", "crop", "standard", "strong"});
  option.group = "data";
  option.common = true;
  return {"augment",
          5,
          {option},
          [](const TechniqueContext& context) -> std::unique_ptr<Technique> {
            if (context.spec.text("augment") == "none") return nullptr;
            if (findModelUnit(context.spec.text("model"))->input == InputKind::Tokens)
              context.notices.push_back({"augment.no_pictures"});
            else if (context.spec.text("mode") != "train") context.notices.push_back({"augment.only_training"});
            return nullptr;
          },
          script};
}

}  // namespace atelier::engine
