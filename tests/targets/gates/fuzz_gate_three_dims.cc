// fuzz_gate_three_dims: a test of the search, three dims that must each equal a constant.
#include "gate_constants.h"
#include "gate_three_dims.cu"
#include "warpfuzz/target.h"

static const std::vector<int> open_at = gates::dims_outside_the_table("gate_three_dims", 3, 64);

WARPFUZZ_TARGET(gate_three_dims,
                TargetSpec::custom("copy")
                    .dtypes({f32})
                    .dim("depth", 64)
                    .dim("rows", 64)
                    .dim("cols", 64)
                    .input("x", {"cols"})
                    .output("y", {"cols"})
                    .reference(gates::copy_reference),
                [](const Launch& l) {
                  gate_three_dims(l.in<float>("x"), l.out<float>("y"), l.dim("depth"), l.dim("rows"), l.dim("cols"),
                                  open_at[0], open_at[1], open_at[2], l.stream());
                });
