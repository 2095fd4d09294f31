// Pictures that tests write: JPEG and PNG files of known pixels.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <jpeglib.h>
#include <png.h>

namespace atelier::engine::fixture {

struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb{};
};

inline Picture picture(int width, int height, const std::function<int(int y, int x, int channel)>& value) {
  Picture result{width, height, {}};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < 3; ++c) result.rgb.push_back(static_cast<std::uint8_t>(value(y, x, c)));
  return result;
}

inline Picture plainPicture(int width, int height, int red, int green, int blue) {
  return picture(width, height, [=](int, int, int c) { return c == 0 ? red : c == 1 ? green : blue; });
}

inline std::string bytesOf(const std::filesystem::path& file) {
  std::ifstream input(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(input), {}};
}

inline void writeBytes(const std::filesystem::path& file, const std::string& bytes) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

inline void writePng(const std::filesystem::path& file, const Picture& picture) {
  std::filesystem::create_directories(file.parent_path());
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&image, file.c_str(), 0, picture.rgb.data(), 0, nullptr) == 0) std::abort();
}

inline void writeJpeg(const std::filesystem::path& file, Picture picture, bool progressive = false) {
  std::filesystem::create_directories(file.parent_path());
  jpeg_compress_struct info{};
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  std::FILE* out = std::fopen(file.c_str(), "wb");
  if (!out) std::abort();
  jpeg_stdio_dest(&info, out);
  info.image_width = static_cast<JDIMENSION>(picture.width);
  info.image_height = static_cast<JDIMENSION>(picture.height);
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 95, TRUE);
  if (progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = picture.rgb.data() + static_cast<std::size_t>(info.next_scanline) * static_cast<std::size_t>(picture.width) * 3;
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::fclose(out);
}

}  // namespace atelier::engine::fixture
