// Text of unknown origin made harmless: for a line on a screen or in a table, and for the name of a file on any drive.
// Any thread.
#pragma once

#include <string>
#include <string_view>

#include "core/wire/utf8.h"

namespace atelier::lab {

using wire::isUtf8;

// One line of valid UTF-8, at most `longest` bytes: what is not UTF-8 becomes "�", control characters (line ends and escape
// sequences among them) and marks that turn the writing direction become spaces.
std::string plainLine(std::string_view text, std::size_t longest = 200);

// The beginning of a file's name for a typed name: letters of any script and digits are kept, all else becomes "-"; at most 60
// bytes, never empty ("learner"), never a dot or a dash at its ends. Two names may give the same: the caller tells them apart.
std::string fileStem(std::string_view name);

}  // namespace atelier::lab
