// fuzz_gate_value: a test of the search, any one element that must equal a constant.
#include "gate_constants.h"
#include "gate_value.cu"
#include "warpfuzz/target.h"

static const float open_value = gates::value_outside_the_table("gate_value");

WARPFUZZ_TARGET(gate_value,
                TargetSpec::custom("copy")
                    .dtypes({f32})
                    .dim("n", 256)
                    .input("x", {"n"})
                    .output("y", {"n"})
                    .reference(gates::copy_reference),
                [](const Launch& l) {
                  gate_value(l.in<float>("x"), l.out<float>("y"), l.dim("n"), open_value, l.stream());
                });
