// fuzz_gelu_tanh_form: subtle bug, the tanh form of GELU where the erf form is declared.
#include "kernels/gelu_tanh_form.cu"
#include "warpfuzz/target.h"

WARPFUZZ_TARGET(gelu_tanh_form, ops::gelu().dtypes({f32, f16, bf16}).dialect("form=erf"), [](const Launch& l) {
  l.for_dtype([&]<class T>() { gelu_tanh_form<T>(l.in<T>("x"), l.out<T>("y"), l.dim("n"), l.stream()); });
});
