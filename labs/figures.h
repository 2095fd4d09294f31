// What a result can hold, known before anything has run: a lab that names a figure or a list which no result has is refused.
// Pure; any thread.
#pragma once

#include <string_view>

namespace atelier::lab {

// Whether a run's, a race's or a profile's result can hold a figure at this path.
bool isKnownQuantity(std::string_view verb, std::string_view path);

// Whether it can hold names at this path, as choices are about.
bool isKnownList(std::string_view verb, std::string_view path);

}  // namespace atelier::lab
