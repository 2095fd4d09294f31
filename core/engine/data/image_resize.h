// The middle square of an interleaved RGB image, as planes of another size: what a model is given. Bilinear, or the mean of what
// a pixel covers where there are two or more. Integers only: the same pixels on every machine. Any thread.
#pragma once

#include <cstdint>

namespace atelier::engine {

// `out`: 3 × side × side. REQUIRES: width, height and side are at least 1.
void squarePlanes(const std::uint8_t* rgb, std::int64_t width, std::int64_t height, std::int64_t side, std::uint8_t* out);

}  // namespace atelier::engine
