#include "image_header.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

namespace atelier::engine {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

std::optional<std::uint32_t> bigEndian(std::FILE* file, int bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < bytes; ++i) {
    const int byte = std::fgetc(file);
    if (byte == EOF) return std::nullopt;
    value = value << 8 | static_cast<std::uint32_t>(byte);
  }
  return value;
}

// After the two bytes that a JPEG file begins with: segments, until the one with the frame's size.
wire::Result<ImageHeader> readJpeg(std::FILE* file, const std::filesystem::path& path) {
  constexpr int kMostSegments = 10000;
  for (int i = 0; i < kMostSegments; ++i) {
    int marker = std::fgetc(file);
    if (marker != 0xff) return imageError(marker == EOF ? "data.image_truncated" : "data.image_unknown", path);
    while (marker == 0xff) marker = std::fgetc(file);
    const bool bare = marker == 0x01 || (marker >= 0xd0 && marker <= 0xd7);
    if (bare) continue;
    const auto length = bigEndian(file, 2);
    if (marker == EOF || !length) return imageError("data.image_truncated", path);
    if (*length < 2 || marker == 0xd9 || marker == 0xda) return imageError("data.image_unknown", path);
    const bool frame = marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    if (frame) {
      const auto precision = bigEndian(file, 1), height = bigEndian(file, 2), width = bigEndian(file, 2);
      const auto components = bigEndian(file, 1);
      if (!precision || !height || !width || !components) return imageError("data.image_truncated", path);
      if (*components == 4) return imageError("data.image_colours", path);
      return ImageHeader{false, *width, *height};
    }
    if (std::fseek(file, static_cast<long>(*length) - 2, SEEK_CUR) != 0) return imageError("data.image_truncated", path);
  }
  return imageError("data.image_unknown", path);
}

// After the eight bytes that a PNG file begins with: the chunk IHDR.
wire::Result<ImageHeader> readPng(std::FILE* file, const std::filesystem::path& path) {
  constexpr std::uint32_t kIhdr = 0x49484452;
  const auto length = bigEndian(file, 4), type = bigEndian(file, 4), width = bigEndian(file, 4), height = bigEndian(file, 4);
  if (!length || !type || !width || !height) return imageError("data.image_truncated", path);
  if (*length != 13 || *type != kIhdr) return imageError("data.image_unknown", path);
  return ImageHeader{true, *width, *height};
}

}  // namespace

wire::Error imageError(const char* id, const std::filesystem::path& file) {
  return {wire::ExitCode::Failed, {id, {{"file", file.string()}}}};
}

wire::Error imageTooLarge(const std::filesystem::path& file, std::int64_t width, std::int64_t height) {
  return {wire::ExitCode::Failed,
          {"data.image_huge",
           {{"file", file.string()},
            {"width", std::to_string(width)},
            {"height", std::to_string(height)},
            {"most", std::to_string(kMostImagePixels >> 20)}}}};
}

wire::Result<ImageHeader> readImageHeader(const std::filesystem::path& path) {
  constexpr std::array<unsigned char, 8> kPng{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  const File file(std::fopen(path.c_str(), "rb"), std::fclose);
  std::array<unsigned char, 8> start{};
  errno = 0;
  const auto read = file ? std::fread(start.data(), 1, 2, file.get()) : 0;
  if (!file || std::ferror(file.get()) != 0)
    return wire::Error{wire::ExitCode::Failed,
                       {"data.image_unreadable", {{"file", path.string()}, {"why", std::strerror(errno)}}}};
  if (read < 2) return imageError("data.image_truncated", path);
  const bool jpeg = start[0] == 0xff && start[1] == 0xd8;
  if (!jpeg && (start[0] != kPng[0] || start[1] != kPng[1])) return imageError("data.image_unknown", path);
  if (!jpeg && std::fread(start.data() + 2, 1, 6, file.get()) != 6) return imageError("data.image_truncated", path);
  if (!jpeg && start != kPng) return imageError("data.image_unknown", path);
  auto header = jpeg ? readJpeg(file.get(), path) : readPng(file.get(), path);
  if (!header.ok()) return header;
  if (header->width == 0 || header->height == 0) return imageError("data.image_unknown", path);
  if (header->width * header->height > kMostImagePixels) return imageTooLarge(path, header->width, header->height);
  return header;
}

}  // namespace atelier::engine
