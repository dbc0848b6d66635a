#!/usr/bin/env bash
# fast_math_test.sh CXX FLAGS FAST_FLAGS SOURCE [NVCC]: the instructions that FAST_MATH asks for are in the PTX of clang with FAST_FLAGS and, where
# there is an nvcc, of nvcc with --use_fast_math; with FLAGS alone division is exact.
set -euo pipefail
cxx=$1 flags=$2 fast=$3 source=$4 nvcc=${5-}
fail() { echo "FAILED: $*"; exit 1; }
expect() { # text, instructions...
  local text=$1 instruction
  shift
  for instruction in "$@"; do
    case $text in *"$instruction"*) ;; *) fail "expected $instruction"; esac
  done
}
all=(div.approx.ftz.f32 sqrt.approx.ftz.f32 fma.rn.ftz.f32 ex2.approx.ftz.f32 lg2.approx.ftz.f32 sin.approx.ftz.f32 tanh.approx.f32)
expect "$("$cxx" "@$fast" --cuda-device-only -S -o - "$source")" "${all[@]}"
[ -z "$nvcc" ] || expect "$("$nvcc" --use_fast_math -arch=sm_90 -ptx -o - "$source")" "${all[@]}"
exact=$("$cxx" "@$flags" --cuda-device-only -S -o - "$source")
expect "$exact" div.rn.f32
case $exact in *div.approx* | *tanh.approx*) fail "without FAST_MATH: expected no div.approx and no tanh.approx" ;; esac
echo passed
