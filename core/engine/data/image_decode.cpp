#include "image_decode.h"

#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <memory>

#include <jerror.h>
#include <jpeglib.h>
#include <png.h>

#include "image_header.h"
#include "image_resize.h"

namespace atelier::engine {
namespace {

using wire::Error;
using wire::ExitCode;

constexpr std::size_t kMostFileBytes = std::size_t{1} << 29;
constexpr int kMostScans = 200;  // of a progressive JPEG; more of them only cost time

// All of a decompression, so that the functions which libjpeg may jump out of own nothing.
struct JpegJob {
  jpeg_decompress_struct info;  // first: libjpeg hands it back
  jpeg_error_mgr errors;
  jpeg_progress_mgr progress;
  std::jmp_buf failed;
  const std::vector<std::uint8_t>* file;
  std::vector<std::uint8_t>* pixels;
  std::int64_t side;
  bool cut;  // the file ended, or another part of it began, where pixels should be
  bool huge;
};

JpegJob& jobOf(j_common_ptr info) {
  return *static_cast<JpegJob*>(info->client_data);
}

[[noreturn]] void jumpOut(j_common_ptr info) {
  std::longjmp(jobOf(info).failed, 1);
}

// Warnings that leave grey where the picture should be are failures; others are harmless.
void takeMessage(j_common_ptr info, int level) {
  if (level >= 0) return;
  const int code = info->err->msg_code;
  if (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER) jobOf(info).cut = true;
}

void watchScans(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > kMostScans) jumpOut(info);
}

// The most that the picture may be shrunk while it is decoded: its middle square must not fall below the wanted side.
unsigned shrinkBy(std::int64_t square, std::int64_t side) {
  for (const unsigned by : {8U, 4U, 2U})
    if ((square + by - 1) / by >= side) return by;
  return 1;
}

void decompress(JpegJob& job) {
  auto& info = job.info;
  jpeg_mem_src(&info, job.file->data(), static_cast<unsigned long>(job.file->size()));
  jpeg_read_header(&info, TRUE);
  const std::int64_t width = info.image_width, height = info.image_height;
  job.huge = width * height > kMostImagePixels;
  if (job.huge) return;
  info.out_color_space = JCS_RGB;
  info.scale_num = 1;
  info.scale_denom = shrinkBy(width < height ? width : height, job.side);
  info.do_fancy_upsampling = info.scale_denom == 1 ? TRUE : FALSE;
  jpeg_start_decompress(&info);
  const auto row = static_cast<std::size_t>(info.output_width) * 3;
  job.pixels->resize(row * info.output_height);
  while (info.output_scanline < info.output_height) {
    JSAMPROW line = job.pixels->data() + info.output_scanline * row;
    jpeg_read_scanlines(&info, &line, 1);
  }
  jpeg_finish_decompress(&info);
}

bool ended(JpegJob& job) {
  if (setjmp(job.failed) != 0) return false;
  jpeg_create_decompress(&job.info);
  job.info.client_data = &job;
  job.info.progress = &job.progress;
  decompress(job);
  return true;
}

struct Destroyed {
  JpegJob& job;
  ~Destroyed() { jpeg_destroy_decompress(&job.info); }
};

wire::Status decodeJpeg(const std::filesystem::path& path, std::int64_t side, std::uint8_t* out, DecodeScratch& scratch) {
  JpegJob job;
  std::memset(&job.info, 0, sizeof job.info);
  std::memset(&job.progress, 0, sizeof job.progress);
  job.info.err = jpeg_std_error(&job.errors);
  job.errors.error_exit = jumpOut;
  job.errors.emit_message = takeMessage;
  job.progress.progress_monitor = watchScans;
  job.info.client_data = &job;  // also for what fails while it is created
  job.file = &scratch.file;
  job.pixels = &scratch.pixels;
  job.side = side;
  job.cut = job.huge = false;
  const Destroyed destroyed{job};
  const bool whole = ended(job);
  if (job.huge) return imageTooLarge(path, job.info.image_width, job.info.image_height);
  if (job.cut) return imageError("data.image_truncated", path);
  if (!whole) return imageError("data.image_damaged", path);
  squarePlanes(scratch.pixels.data(), job.info.output_width, job.info.output_height, side, out);
  return wire::success();
}

struct PngImage {
  PngImage() {
    std::memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
  }
  ~PngImage() { png_image_free(&image); }
  PngImage(const PngImage&) = delete;
  PngImage& operator=(const PngImage&) = delete;
  png_image image;
};

wire::Status decodePng(const std::filesystem::path& path, std::int64_t side, std::uint8_t* out, DecodeScratch& scratch) {
  PngImage png;
  auto& image = png.image;
  if (png_image_begin_read_from_memory(&image, scratch.file.data(), scratch.file.size()) == 0)
    return imageError("data.image_damaged", path);
  const std::int64_t width = image.width, height = image.height;
  if (width * height > kMostImagePixels) return imageTooLarge(path, width, height);
  image.format = PNG_FORMAT_RGB;
  scratch.pixels.resize(PNG_IMAGE_SIZE(image));
  const png_color black{0, 0, 0};
  if (png_image_finish_read(&image, &black, scratch.pixels.data(), 0, nullptr) == 0)
    return imageError("data.image_damaged", path);
  squarePlanes(scratch.pixels.data(), width, height, side, out);
  return wire::success();
}

wire::Status readWhole(const std::filesystem::path& path, std::vector<std::uint8_t>& bytes) {
  const auto unreadable = [&](const char* why) {
    return Error{ExitCode::Failed, {"data.image_unreadable", {{"file", path.string()}, {"why", std::string(why)}}}};
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) return unreadable(std::strerror(errno));
  std::error_code failed;
  const auto size = std::filesystem::file_size(path, failed);
  if (failed) return unreadable(failed.message().c_str());
  if (size > kMostFileBytes) return unreadable(std::strerror(EFBIG));
  bytes.resize(size);
  if (std::fread(bytes.data(), 1, size, file.get()) != size) return imageError("data.image_truncated", path);
  return wire::success();
}

}  // namespace

wire::Status decodeImage(const std::filesystem::path& file, std::int64_t side, std::uint8_t* out, DecodeScratch& scratch) {
  if (auto read = readWhole(file, scratch.file); !read.ok()) return read;
  const auto& bytes = scratch.file;
  if (bytes.size() < 8) return imageError("data.image_truncated", file);
  if (bytes[0] == 0xff && bytes[1] == 0xd8) return decodeJpeg(file, side, out, scratch);
  if (png_sig_cmp(bytes.data(), 0, 8) == 0) return decodePng(file, side, out, scratch);
  return imageError("data.image_unknown", file);
}

}  // namespace atelier::engine
