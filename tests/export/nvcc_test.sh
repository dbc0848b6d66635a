#!/usr/bin/env bash
# nvcc_test.sh CODE FILE: exports FILE and builds the .cu with nvcc, every warning an error. Without a GPU the program ends with 3,
# on one with CODE. From CMake, in the environment: NVCC COMMAND.
set -uo pipefail
code=$1 file=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $1"; cut -c1-400 "$work/log"; exit 1; }

"$COMMAND" export "$file" --cu "$work/repro.cu" >"$work/log" 2>&1 || fail "export ended with $?"
"$NVCC" -std=c++20 -arch=sm_90 -cudart static -Werror all-warnings "$work/repro.cu" -o "$work/repro" >"$work/log" 2>&1 || fail "nvcc refuses the .cu"
"$work/repro" >"$work/log" 2>&1
got=$?
[ -e /dev/nvidia0 ] || code=3
[ $got = "$code" ] || fail "expected exit code $code, got $got"
cat "$work/log"
