// Chrome trace files: written so that Perfetto and chrome://tracing open them, and read, ours and those of Python's
// torch.profiler (export_chrome_trace, TensorBoard's *.pt.trace.json), plain or gzip'd. What Chrome's format has no place for
// (module paths, categories of allocations, what was cut) stands in `args` and in the head's "atelier" object, so that a
// trace written and read again is the same. Hostile files are refused plainly: sizes are bounded, nothing recurses.
// Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/wire/result.h"
#include "trace.h"

namespace atelier::trace {

struct ReadLimits {
  std::int64_t events = 4'000'000;  // more are counted in events_cut
  std::int64_t bytes = 4LL << 30;   // of JSON, unpacked
};

// Valid JSON for any name. Packed with gzip, but for names that end in ".json". Written beside and renamed. Fails with
// trace.write {file, reason}.
wire::Status writeChromeTrace(const Trace& trace, const std::filesystem::path& file);
std::string chromeTraceText(const Trace& trace);

// Events without a name, a time or a duration that make sense are left out and counted in events_cut. Fails with trace.missing
// {file, reason}, trace.malformed {file, why, at} (byte `at` reads `why`), trace.truncated {file, at}, trace.too_deep {file,
// limit}, trace.damaged {file, reason} (gzip), trace.not_a_trace {file}, trace.too_large {file, limit}. `progress`: share read,
// 0 … 1; returns false to give up (trace.cancelled {file}). Of a text the file is "-".
wire::Result<Trace> readChromeTrace(const std::filesystem::path& file, const ReadLimits& limits = {},
                                    const std::function<bool(double)>& progress = {});
wire::Result<Trace> readChromeTraceText(std::string_view text, const ReadLimits& limits = {});

}  // namespace atelier::trace
