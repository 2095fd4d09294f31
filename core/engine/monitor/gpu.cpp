#include "gpu.h"

#include <cstdlib>
#include <filesystem>
#include <memory>

#include <dlfcn.h>

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>

namespace atelier::engine {
namespace {

// The part of NVML's stable interface that is used here; names and numbers from nvml.h.
struct NvmlMemory {
  unsigned long long total, free, used;
};
using NvmlDevice = struct NvmlDeviceOpaque*;
constexpr unsigned kNameLength = 96, kVersionLength = 80;

class Nvml {
 public:
  Nvml() : m_library(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {}
  ~Nvml() {
    if (!m_library) return;
    if (m_started)
      if (auto* shutdown = function<int()>("nvmlShutdown")) shutdown();
    dlclose(m_library);
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  bool found() const { return m_library != nullptr; }
  template <class F>
  F* function(const char* name) const {
    return reinterpret_cast<F*>(dlsym(m_library, name));
  }
  // NVML's return code; 0 is success.
  int start() {
    auto* init = function<int()>("nvmlInit_v2");
    const int code = init ? init() : -1;
    m_started = code == 0;
    return code;
  }

 private:
  void* m_library;
  bool m_started = false;
};

void readGpus(const Nvml& nvml, GpuStatus& status) {
  char version[kVersionLength] = "";
  if (auto* driver = nvml.function<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
      driver && driver(version, kVersionLength) == 0)
    status.driver = version;
  auto* count = nvml.function<int(unsigned*)>("nvmlDeviceGetCount_v2");
  auto* handle = nvml.function<int(unsigned, NvmlDevice*)>("nvmlDeviceGetHandleByIndex_v2");
  auto* name = nvml.function<int(NvmlDevice, char*, unsigned)>("nvmlDeviceGetName");
  auto* memory = nvml.function<int(NvmlDevice, NvmlMemory*)>("nvmlDeviceGetMemoryInfo");
  unsigned devices = 0;
  if (!count || !handle || !name || !memory || count(&devices) != 0) return;
  for (unsigned i = 0; i < devices; ++i) {
    NvmlDevice device = nullptr;
    char text[kNameLength] = "";
    NvmlMemory bytes{};
    if (handle(i, &device) != 0) continue;
    name(device, text, kNameLength);
    memory(device, &bytes);
    status.gpus.push_back({static_cast<int>(i), text, static_cast<std::int64_t>(bytes.total)});
  }
}

}  // namespace

GpuStatus gpuStatus() {
  GpuStatus status;
  const bool card = std::filesystem::exists("/proc/driver/nvidia/version") || std::filesystem::exists("/dev/nvidiactl");
  Nvml nvml;
  if (!nvml.found()) {
    status.reason = {card ? "gpu.no_library" : "gpu.none"};
    return status;
  }
  if (const int code = nvml.start(); code != 0) {
    auto* describe = nvml.function<const char*(int)>("nvmlErrorString");
    status.reason = {"gpu.driver_failed", {{"error", describe ? describe(code) : std::to_string(code)}}};
    return status;
  }
  readGpus(nvml, status);
  if (status.gpus.empty()) status.reason = {"gpu.none"};
  return status;
}

wire::Status loadCuda() {
  const auto status = gpuStatus();
  if (status.gpus.empty()) return wire::Error{wire::ExitCode::NoDevice, {wire::Message{"device.no_gpu"}, status.reason}};
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);  // deterministic mode needs it, and it must be set before CUDA starts
  if (!dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL)) {
    const char* why = dlerror();
    return wire::Error{wire::ExitCode::NoDevice, {"device.no_cuda_library", {{"error", why ? why : ""}}}};
  }
  try {
    if (at::hasCUDA() && at::detail::getCUDAHooks().deviceCount() > 0) return wire::success();
  } catch (const std::exception& problem) {  // a GPU without a usable driver may throw here
    return wire::Error{wire::ExitCode::NoDevice, {"gpu.driver_failed", {{"error", problem.what()}}}};
  }
  return wire::Error{wire::ExitCode::NoDevice, {wire::Message{"device.no_gpu"}}};
}

}  // namespace atelier::engine
