// A folder of pictures, a folder a class: FOLDER/train/CLASS/PICTURE with test (or val, validation) beside it, or FOLDER/CLASS/
// PICTURE. Without a folder of test pictures every tenth picture of a class (the last of fewer) is kept for testing. Classes are
// numbered by their names' order, byte by byte, and so are pictures. Only headers are read here. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/wire/result.h"

namespace atelier::engine {

struct ImageFile {
  std::string path;  // from the root: "train/cat/001.jpg"
  std::int64_t label = 0;
};

struct ImageFiles {
  std::filesystem::path root;
  std::vector<std::string> classes;
  std::vector<ImageFile> train, test;
};

// What lies in the folder, without a look into the files. Fails with data.no_folder (no name was given), data.folder_missing
// {folder}, data.folder_unreadable {folder, why}, data.no_classes {folder}, data.empty_class {folder}, data.class_unknown
// {folder} (only among the test pictures), data.no_test_pictures {folder}, data.image_format {file} (of another kind).
wire::Result<ImageFiles> findImageFiles(const std::filesystem::path& folder);

// Every file's header; the first few files that can't be used are all named. Fails as readImageHeader() does.
wire::Status checkImageFiles(const ImageFiles& files);

}  // namespace atelier::engine
