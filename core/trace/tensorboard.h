// The folder that TensorBoard's profiler plug-in and Perfetto read, one file a worker, as torch.profiler's
// tensorboard_trace_handler leaves it. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/wire/result.h"
#include "trace.h"

namespace atelier::trace {

// Writes folder/<worker>.<unixMs>.pt.trace.json.gz and makes the folder where there is none. `worker`: "host_1234"; what no
// file name can hold becomes "_". `unixMs`: when it was made, in milliseconds; it tells runs of one worker apart. Fails with
// trace.write {file, reason}.
wire::Status writeTensorBoard(const Trace& trace, const std::filesystem::path& folder, const std::string& worker,
                              std::int64_t unixMs);

}  // namespace atelier::trace
