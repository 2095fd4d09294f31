// image-folder: the pictures of a folder that the user names with `data_dir`, a folder a class, JPEG or PNG, each as the square
// of `image_size` pixels in its middle. Headers are checked when it is loaded, pixels are decoded batch by batch.
#include "core/engine/script/builder.h"
#include "picture_dataset.h"
#include "picture_script.h"

namespace atelier::engine {
namespace {

wire::Result<std::shared_ptr<const Dataset>> load(const DataRequest& request) {
  auto files = findImageFiles(request.spec.text("data_dir"));
  if (!files.ok()) return files.error();
  if (auto checked = checkImageFiles(*files); !checked.ok()) return checked.error();
  return std::shared_ptr<const Dataset>(
      std::make_shared<PictureDataset>("image-folder", std::move(files).value(), request.spec.integer("image_size")));
}

// Of a folder that is not there, a script is shown as of one with two classes and pictures enough.
DataFacts script(ScriptBuilder& script) {
  const auto& folder = script.text("data_dir");
  addPictures(script, script.path(folder, 11));
  DataFacts facts;
  facts.shape.channels = 3;
  facts.shape.height = facts.shape.width = script.integer("image_size");
  facts.shape.classes = 2;
  facts.train_count = facts.evaluation_count = 1 << 20;
  if (const auto files = findImageFiles(folder); files.ok()) {
    facts.shape.classes = static_cast<std::int64_t>(files->classes.size());
    facts.train_count = static_cast<std::int64_t>(files->train.size());
    facts.evaluation_count = static_cast<std::int64_t>(files->test.size());
  }
  return facts;
}

}  // namespace

DataUnit data_image_folder() {
  DataUnit unit{"image-folder", false, load, script};
  unit.needs_folder = true;
  return unit;
}

}  // namespace atelier::engine
