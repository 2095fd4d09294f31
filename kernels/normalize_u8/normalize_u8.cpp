#include "normalize_u8.h"

namespace atelier::kernels {

void normalizeU8Reference(const std::uint8_t* pixels, float* out, std::size_t count, float scale, float shift) {
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<float>(pixels[i]) * scale + shift;
}

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
__attribute__((target_clones("avx2", "default")))
#endif
void normalizeU8(const std::uint8_t* pixels, float* out, std::size_t count, float scale, float shift) {
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<float>(pixels[i]) * scale + shift;
}

}  // namespace atelier::kernels
