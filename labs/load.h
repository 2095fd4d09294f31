// Reads labs and the course from folders. A broken lab is refused with file, line and reason (messages lab.* with args
// file, line, …) and does not keep the others from being read. Paths never leave the lab's folder. Any thread.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/wire/option.h"
#include "lab.h"

namespace atelier::lab {

inline constexpr std::uintmax_t kLargestLabFile = 1 << 20;  // bytes; a larger file is refused
inline constexpr std::uintmax_t kLargestRecording = 8 << 20;

// Text format of LANG.md: "# title", "> question", then a section a step "## step-id | step title" with the body, and
// below it "### hint", "### solution", "### quiz question-id" (text, "- choice" lines, "> explanation"). Instructor's notes may
// be absent. A recording (recorded/STEP.atelier) that can't be taken is left out and told in the lab's notices.
wire::Result<Lab> loadLab(const std::filesystem::path& folder, std::string_view language);

// Reads DIR/<half-day>/<lab>/lab.toml, half-days in the order of the course, labs by number; a DIR that holds a lab.toml
// itself is a course of one lab. A lab without texts in this language is read in the other. Folders with more entries than a
// person would make, and labs beyond the thousandth, are refused rather than walked through.
Course loadCourse(const std::filesystem::path& folder, std::string_view language);

// Verifies a lab's specs and knobs against the engine's schema (as `describe` printed it).
wire::Status verifySpecs(const Lab& lab, const wire::Schema& schema);

}  // namespace atelier::lab
