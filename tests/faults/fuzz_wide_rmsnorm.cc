// fuzz_wide_rmsnorm: declared for more columns than the op's own largest number, and wrong only beyond twice that.
#include "warpfuzz/target.h"
#include "wide_rmsnorm.cuh"

WARPFUZZ_TARGET(wide_rmsnorm, ops::rmsnorm().dtypes({f32}).where("cols", at_most(16384)), [](const Launch& l) {
  wide_rmsnorm_kernel<<<l.dim("rows"), 32, 0, l.stream()>>>(
      l.in<float>("x"), l.has("gamma") ? l.in<float>("gamma") : nullptr, l.out<float>("y"), l.dim("cols"),
      static_cast<float>(l.scalar("eps")));
});
