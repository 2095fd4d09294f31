// Text of any bytes made fit to stand in an XML document. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace atelier::trace {

// UTF-8 without what XML 1.0 forbids: malformed sequences, control characters, surrogates and U+FFFE, U+FFFF become U+FFFD.
std::string repairedText(std::string_view text);

// The first `characters`, with an ellipsis in the last one's place when there are more. REQUIRES: valid UTF-8.
std::string clippedText(std::string_view text, std::size_t characters);

// & < > " ' escaped. REQUIRES: repaired text.
std::string xmlText(std::string_view text);

}  // namespace atelier::trace
