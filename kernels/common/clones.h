// ATELIER_KERNEL_CLONES: compiles a function for AVX-512, AVX2 and the base instruction set; the best is taken at load time.
// Such a function is not in an unnamed namespace, as it is chosen through a symbol that the linker sees; what it calls in its
// loops is ATELIER_KERNEL_INLINE, or it would be compiled for the base set alone. Products and sums are never contracted
// (-ffp-contract=off), so that all give the same bits.
// Sanitizers start too late for the choice: under them there is one version.
#pragma once

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ATELIER_KERNEL_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define ATELIER_KERNEL_CLONES
#endif
#define ATELIER_KERNEL_INLINE inline __attribute__((always_inline))
