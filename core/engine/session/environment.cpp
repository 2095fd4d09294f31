#include "environment.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>

#include <sys/utsname.h>
#include <unistd.h>

#include <torch/version.h>

#include "build_version.h"
#include "core/engine/monitor/gpu.h"
#include "core/engine/monitor/process.h"

namespace atelier::engine {
namespace {

// The value after the first line that starts with `key`, separators and quotes taken off.
std::string valueIn(const std::string& file, const std::string& key) {
  std::ifstream input(file);
  for (std::string line; std::getline(input, line);) {
    if (!line.starts_with(key)) continue;
    auto value = line.substr(std::min(line.size(), line.find_first_of(":=") + 1));
    const auto begin = value.find_first_not_of(" \t\""), end = value.find_last_not_of(" \t\"");
    return begin == std::string::npos ? "" : value.substr(begin, end - begin + 1);
  }
  return "";
}

std::string firstLine(const std::string& file) {
  std::ifstream input(file);
  std::string line;
  std::getline(input, line);
  return line;
}

// Instruction sets for matrix products in 16 bits, as Linux names them: without one, bfloat16 and float16 bring a CPU nothing.
nlohmann::json lowPrecisionUnits() {
  constexpr std::string_view kUnits[] = {"avx512_bf16", "avx512_fp16", "amx_bf16", "amx_fp16", "bf16", "sme"};
  auto units = nlohmann::json::array();
  for (const char* key : {"flags", "Features"}) {
    std::istringstream words(valueIn("/proc/cpuinfo", key));
    for (std::string word; words >> word;)
      if (std::find(std::begin(kUnits), std::end(kUnits), word) != std::end(kUnits)) units.push_back(word);
  }
  return units;
}

}  // namespace

nlohmann::json environment() {
  utsname system{};
  uname(&system);
  const auto gpus = gpuStatus();
  auto names = nlohmann::json::array();
  for (const auto& gpu : gpus.gpus) names.push_back(gpu.name);
  const auto governor = firstLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  return {{"cpu", valueIn("/proc/cpuinfo", "model name")},
          {"cores", availableCores()},
          {"memory_bytes", sysconf(_SC_PHYS_PAGES) * static_cast<std::int64_t>(sysconf(_SC_PAGESIZE))},
          {"low_precision", lowPrecisionUnits()},
          {"gpus", names},
          {"gpu_reason", gpus.reason.id},
          {"driver", gpus.driver},
          {"torch", TORCH_VERSION},
          {"atelier", programVersion()},
          {"revision", programRevision()},
          {"os", valueIn("/etc/os-release", "PRETTY_NAME")},
          {"kernel", std::string(system.release)},
          {"governor", governor.empty() ? "unknown" : governor},
          {"load", loadAverage()}};
}

}  // namespace atelier::engine
