// The structure of a lab, as lab.toml holds it: ids, numbers, specs, checks; no texts. Joined with a LabText by load.cpp.
// The reader names every mistake in the file with its line. Any thread; values only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/wire/result.h"
#include "lab.h"

namespace atelier::lab {

// A step without its texts: hints are counted, quiz questions have ids and answers only.
struct StepShape {
  Step step;
  int hints = 0;
  bool solution = false;
  int line = 0;
};

struct LabShape {
  Lab lab;  // without steps and texts
  std::vector<StepShape> steps;
};

wire::Result<LabShape> parseLabShape(std::string_view content, const std::string& file);

// The same for a file that is being written: what could be read of it, beside its mistakes; nullopt when it is no TOML.
std::optional<LabShape> draftLabShape(std::string_view content, const std::string& file, std::vector<wire::Message>& mistakes);

}  // namespace atelier::lab
