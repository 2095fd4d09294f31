#include "tensorboard.h"

#include <system_error>

#include "chrome_json.h"

namespace atelier::trace {
namespace {

constexpr std::size_t kLongest = 200;  // of a worker's name: file names end at 255 bytes

// Readable by any file system, and by the plug-in, which takes what stands before the number for the worker.
std::string fileName(const std::string& worker, std::int64_t unixMs) {
  std::string name;
  for (const char c : worker.substr(0, kLongest)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    name += plain || (c == '.' && !name.empty()) ? c : '_';
  }
  if (name.empty()) name = "worker";
  return name + "." + std::to_string(unixMs) + ".pt.trace.json.gz";
}

}  // namespace

wire::Status writeTensorBoard(const Trace& trace, const std::filesystem::path& folder, const std::string& worker,
                              std::int64_t unixMs) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return wire::Error{wire::ExitCode::Failed,
                       wire::Message{"trace.write", {{"file", folder.string()}, {"reason", error.message()}}}};
  return writeChromeTrace(trace, folder / fileName(worker, unixMs));
}

}  // namespace atelier::trace
