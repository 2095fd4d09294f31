// What an image file says of itself before its pixels: enough to refuse it without decoding it. Written for distrusted files:
// nothing is allocated, nothing is read beyond the header. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/wire/result.h"

namespace atelier::engine {

// More pixels than any camera's picture has; a larger one is a mistake or a bomb.
inline constexpr std::int64_t kMostImagePixels = std::int64_t{1} << 26;

struct ImageHeader {
  bool png = false;  // else JPEG
  std::int64_t width = 0, height = 0;
};

// Fails with data.image_unreadable {file, why}, data.image_truncated {file}, data.image_unknown {file} (neither JPEG nor PNG),
// data.image_colours {file} (CMYK) or data.image_huge {file, width, height, most}.
wire::Result<ImageHeader> readImageHeader(const std::filesystem::path& file);

wire::Error imageError(const char* id, const std::filesystem::path& file);
wire::Error imageTooLarge(const std::filesystem::path& file, std::int64_t width, std::int64_t height);

}  // namespace atelier::engine
