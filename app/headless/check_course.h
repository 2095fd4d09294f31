// What authors and trainers ask for without a window: a course's mistakes, the reference of its files, a class's roll-up. GUI
// thread or any other; texts only.
#pragma once

#include <filesystem>

#include "core/wire/catalog.h"
#include "core/wire/option.h"
#include "core/wire/result.h"
#include "terminal.h"

namespace atelier::app {

// How a class or a course is told.
enum class Form { Text, Json, Csv };

// Prints every mistake as FILE:LINE: error: REASON (editors jump there), then advice, then what each lab holds; Usage when a
// lab would be refused. Without a schema the experiments' keys and values are not checked, and that is said.
wire::ExitCode checkCourse(Terminal& terminal, const wire::Catalog& catalog, const std::filesystem::path& folder,
                           const wire::Result<wire::Schema>& schema, Form form);

// The roll-up of a class's folder; Usage when there is no such folder.
wire::ExitCode printClass(Terminal& terminal, const wire::Catalog& catalog, const std::filesystem::path& folder, Form form);

}  // namespace atelier::app
