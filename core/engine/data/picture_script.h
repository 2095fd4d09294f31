// The Python of pictures in files. One thread.
#pragma once

#include <string>

#include "core/engine/script/builder.h"

namespace atelier::engine {

// Defines MEAN, DEVIATION, IMAGE_SIZE and load_data(), which decodes the folder's pictures with torchvision: `folder` is an
// expression.
void addPictures(ScriptBuilder& script, const std::string& folder);

}  // namespace atelier::engine
