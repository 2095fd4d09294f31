// ProfileExport: an opened profile as files for other programs. Any thread: what is opened never changes.
#pragma once

#include <filesystem>

#include "core/wire/result.h"
#include "trace_document.h"

namespace atelier::app {

enum class ProfileExport {
  Chrome,       // a trace that Perfetto and chrome://tracing open
  TensorBoard,  // a folder that TensorBoard's profiler plug-in reads
  Csv,          // operators, by the shapes of their inputs
  Flame,        // the call stacks of the main thread as a picture that can be searched
};

// Writes the file, or into the folder. Fails with trace.write or registry.write {file, reason}.
wire::Status exportProfile(const TraceDocument::Content& content, ProfileExport what, const std::filesystem::path& where);

}  // namespace atelier::app
