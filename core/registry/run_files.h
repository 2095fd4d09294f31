// Names of the files in a run's folder that other rooms look for. Constants; any thread.
#pragma once

namespace atelier::registry {

inline constexpr const char* kSpecFile = "spec.json";
inline constexpr const char* kTraceFile = "trace.json.gz";   // of a profiled run: what the profiler saw, a Chrome trace
inline constexpr const char* kProfileFile = "profile.json";  // of a profiled run: its tables and its diagnosis

}  // namespace atelier::registry
