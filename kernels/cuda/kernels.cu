// All GPU kernels as one source: each would read CUDA's headers again for each of the GPUs' kinds, which takes longer than
// the kernels themselves.
#include "kernels/adamw/adamw.cu"
#include "kernels/cross_entropy/cross_entropy.cu"
#include "kernels/float8/float8.cu"
#include "kernels/normalize_u8/normalize_u8.cu"
