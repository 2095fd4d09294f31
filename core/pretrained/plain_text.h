// Text of unknown origin as it may stand in a message. Internal to the room. Any thread; pure.
#pragma once

#include <string>
#include <string_view>

namespace atelier::pretrained {

// One line of valid UTF-8, at most `longest` bytes and "…" for the rest; control characters become "?", what is not UTF-8 "�".
std::string printable(std::string_view text, std::size_t longest = 120);

}  // namespace atelier::pretrained
