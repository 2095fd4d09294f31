// normalize_u8: 8-bit pixels to float32, out[i] = pixel[i] * scale + shift, the last step of reading an image.
// One channel per call. Pointers need no alignment; `count` may be 0. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace atelier::kernels {

// The plain loop, to check and time the other one against.
void normalizeU8Reference(const std::uint8_t* pixels, float* out, std::size_t count, float scale, float shift);

// Compiled for AVX2 and the base instruction set; the best is taken at load time. Bit-equal on machines without
// fused multiply-add, within one rounding (2⁻²⁴ relative) on the others.
void normalizeU8(const std::uint8_t* pixels, float* out, std::size_t count, float scale, float shift);

}  // namespace atelier::kernels
