#!/usr/bin/env bash
# The correct kernels alone: a planted bug would fail every review.
set -euo pipefail
WARPFUZZ_OSS_TARGETS=controls exec "$SRC/warpfuzz/scripts/oss-fuzz/build.sh"
