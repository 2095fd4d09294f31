// A JPEG or PNG file as the pixels that a model is given. JPEG files are decoded at a half, a quarter or an eighth of their size
// where that is enough, which is several times faster. What is damaged is refused: no half picture passes for a whole one.
// Memory: the file and its decoded pixels, at most kMostImagePixels × 3 bytes a thread. Any thread, each with its own scratch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/wire/result.h"

namespace atelier::engine {

// What a thread keeps from picture to picture.
struct DecodeScratch {
  std::vector<std::uint8_t> file, pixels;
};

// The middle square as `out`: 3 × side × side, RGB; grey becomes RGB, transparent parts black. Fails as readImageHeader() does,
// or with data.image_damaged {file}.
wire::Status decodeImage(const std::filesystem::path& file, std::int64_t side, std::uint8_t* out, DecodeScratch& scratch);

}  // namespace atelier::engine
