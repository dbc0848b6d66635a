// fuzz_fault_zoo: every fault class on demand, for the tests of detection, reports and deaths.
#include "fault_zoo.cu"
#include "warpfuzz/target.h"

#include "ops/value_reference.h"

WARPFUZZ_TARGET(
    fault_zoo,
    TargetSpec::custom("copy")
        .dtypes({f32})
        .dim("n", 256, 5)
        .input("x", {"n"})
        .output("y", {"n"})
        .launch_parameter("which", {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
                                    20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 40})
        .reference(warpfuzz::bit_equal_reference([](const RefContext& c, std::vector<std::vector<double>>& values) {
          values[1].assign(c.in[0].begin(), c.in[0].end());
        })),
    [](const Launch& l) {
      fault_zoo(static_cast<int>(l.scalar("which")), const_cast<float*>(l.in<float>("x")), l.out<float>("y"),
                l.dim("n"), l.stream());
    });
