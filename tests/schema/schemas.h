// Schemas that between them use everything a schema can say, and random byte strings for property tests.
#pragma once
#include <string>
#include <vector>

#include "numeric/hash.h"
#include "schema/codec/codec.h"

namespace warpfuzz::testing {

Schema rows_schema();    // softmax-like: x[rows, cols] -> y, three dtypes and mixed ones, layouts
Schema matmul_schema();  // a[M, K], b[K, N], optional bias[N] -> c[M, N]; transA, transB; work cap
Schema heads_schema();   // 4-D tensors, a constraint D % H == 0, an optional mask, a workspace
Schema window_schema();  // derived output dim, multiple_of, dims that may be 0, in place
Schema gather_schema();  // index tensors, int64, out-of-range indices
Schema gate_schema(std::uint32_t max, int dims);  // x[a, b (, c)] in fp32
std::vector<Schema> all_schemas();

// Random lengths 0..900; some are sparse, some are another string with a few bytes changed.
Bytes random_bytes(Rng& rng);

}  // namespace warpfuzz::testing
