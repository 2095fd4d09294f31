// CSV as RFC 4180 has it: cells are quoted where they must be, rows end in CR LF. Any thread; pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace atelier::wire {

std::string csvCell(std::string_view text);
std::string csvRow(const std::vector<std::string>& cells);

}  // namespace atelier::wire
