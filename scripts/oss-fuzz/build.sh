#!/usr/bin/env bash
# Builds every fuzz target into $OUT, the way of OSS-Fuzz: with the compiler, the flags and the engine of $CC, $CXX, $CFLAGS,
# $CXXFLAGS and $LIB_FUZZING_ENGINE. $SRC/warpfuzz is this tree, $WORK a folder to build in.
#   WARPFUZZ_OSS_TARGETS   names of targets; "controls": the correct kernels; empty: all, planted bugs included
set -euo pipefail
source=$SRC/warpfuzz

# CC, CXX, CFLAGS and CXXFLAGS reach CMake by themselves.
cmake -S "$source" -B "$WORK/warpfuzz" -G Ninja -DWARPFUZZ_ENGINE=external "-DWARPFUZZ_ENGINE_LIBRARY=$LIB_FUZZING_ENGINE" \
  -DWARPFUZZ_TESTS=OFF -DWARPFUZZ_BENCH=OFF
wanted=${WARPFUZZ_OSS_TARGETS-}
if [ "$wanted" = controls ]; then
  wanted=$(python3 -c 'import json, sys; print(*(t["name"] for t in json.load(open(sys.argv[1]))["targets"] if t["list"] == "controls"))' \
    "$WORK/warpfuzz/bin/targets.json")
fi
read -ra targets <<<"$wanted"
ninja -C "$WORK/warpfuzz" "${targets[@]/#/fuzz_}"

built=0
for binary in "$WORK"/warpfuzz/bin/fuzz_*; do
  name=$(basename "$binary")
  cp "$binary" "$OUT/"
  "$source/scripts/oss-fuzz/seed-corpus" "$binary" "$source/seeds/${name#fuzz_}" "$OUT/${name}_seed_corpus.zip"
  # A case is small whatever its shape (docs/encoding.md).
  printf '[libfuzzer]\nmax_len = 1024\nuse_value_profile = 1\n' >"$OUT/$name.options"
  built=$((built + 1))
done
[ "$built" -gt 0 ] || { echo "build.sh: no target was built" >&2; exit 1; }
echo "build.sh: $built targets in $OUT"
