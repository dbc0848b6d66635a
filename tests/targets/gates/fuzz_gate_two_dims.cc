// fuzz_gate_two_dims: a test of the search, two dims that must each equal a constant.
#include "gate_constants.h"
#include "gate_two_dims.cu"
#include "warpfuzz/target.h"

static const std::vector<int> open_at = gates::dims_outside_the_table("gate_two_dims", 2, 256);

WARPFUZZ_TARGET(gate_two_dims,
                TargetSpec::custom("copy")
                    .dtypes({f32})
                    .dim("rows", 256)
                    .dim("cols", 256)
                    .input("x", {"cols"})
                    .output("y", {"cols"})
                    .reference(gates::copy_reference),
                [](const Launch& l) {
                  gate_two_dims(l.in<float>("x"), l.out<float>("y"), l.dim("rows"), l.dim("cols"), open_at[0],
                                open_at[1], l.stream());
                });
