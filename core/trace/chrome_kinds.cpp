#include "chrome_kinds.h"

#include <algorithm>
#include <array>

#include "finish.h"

namespace atelier::trace {
namespace {

constexpr std::array<std::string_view, 12> kNames{"operator", "range", "step",        "module", "runtime", "kernel",
                                                  "copy",     "set",   "synchronise", "loader", "python",  "other"};

constexpr std::array<std::string_view, 6> kIgnored{"gpu_user_annotation", "cuda_sync", "cuda_event", "Trace", "ac2g",
                                                   "cpu_instant_event"};

bool isStep(std::string_view name) {
  constexpr std::string_view kOurs = "step ";
  if (name.starts_with(kPythonStep)) return true;
  return name.size() > kOurs.size() && name.starts_with(kOurs) &&
         name.find_first_not_of("0123456789", kOurs.size()) == std::string_view::npos;
}

bool isDriverCall(std::string_view name) {
  return name.size() > 2 && name.starts_with("cu") && name[2] >= 'A' && name[2] <= 'Z';
}

}  // namespace

std::string_view chromeCategory(Kind kind, std::string_view name) {
  switch (kind) {
    case Kind::Operator:
      return "cpu_op";
    case Kind::Range:
    case Kind::Step:
    case Kind::Loader:
      return "user_annotation";
    case Kind::Module:
    case Kind::Python:
      return "python_function";
    case Kind::Runtime:
    case Kind::Synchronize:
      return isDriverCall(name) ? "cuda_driver" : "cuda_runtime";
    case Kind::Kernel:
      return "kernel";
    case Kind::Copy:
      return "gpu_memcpy";
    case Kind::Set:
      return "gpu_memset";
    case Kind::Other:
      break;
  }
  return "other";
}

Kind kindOf(std::string_view category, std::string_view name) {
  if (category == "cpu_op" || category == "Operator") return Kind::Operator;
  if (category == "user_annotation") return isStep(name) ? Kind::Step : Kind::Range;
  if (category == "python_function") return name.starts_with(kPythonModule) ? Kind::Module : Kind::Python;
  if (category.ends_with("_runtime") || category.ends_with("_driver") || category == "Runtime")
    return name.find("Synchronize") == std::string_view::npos ? Kind::Runtime : Kind::Synchronize;
  if (category == "kernel" || category == "Kernel") return Kind::Kernel;
  if (category == "gpu_memcpy" || category == "Memcpy") return Kind::Copy;
  if (category == "gpu_memset" || category == "Memset") return Kind::Set;
  return Kind::Other;
}

bool isIgnoredCategory(std::string_view category) {
  return std::find(kIgnored.begin(), kIgnored.end(), category) != kIgnored.end();
}

std::string_view kindName(Kind kind) {
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<Kind> kindNamed(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  return found == kNames.end() ? std::nullopt : std::optional(static_cast<Kind>(found - kNames.begin()));
}

}  // namespace atelier::trace
