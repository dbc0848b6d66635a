#!/usr/bin/env bash
# executor_test.sh CODE FILE [TARGET]: exports FILE, builds the .cu for the CPU executor and expects it to end with CODE.
# From CMake, in the environment: CXX REWRITE COMMAND FLAGS (of a source in the pipeline, .preprocess.rsp and .compile.rsp) LINK
# (a response file: what to link with).
set -uo pipefail
code=$1 file=$2 target=${3-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $1"; cat "$work/log" 2>/dev/null | cut -c1-400; exit 1; }

"$COMMAND" export "$file" --cu "$work/repro.cu" ${target:+--target "$target"} >"$work/log" 2>&1 || fail "export ended with $?"
# No debug information and no optimisation: it is built once and runs once.
{ "$CXX" -x c++ -E "$work/repro.cu" -o "$work/a.i" "@$FLAGS.preprocess.rsp" -Dmain=repro_main -g0 &&
  "$REWRITE" "$work/a.i" "$work/a.ii" &&
  "$CXX" -x c++-cpp-output -c "$work/a.ii" -o "$work/a.o" "@$FLAGS.compile.rsp" -g0 -O0 -fno-sanitize=fuzzer-no-link &&
  "$CXX" "$work/a.o" "@$LINK" -o "$work/repro"; } >"$work/log" 2>&1 || fail "the .cu does not build"
"$work/repro" >"$work/log" 2>&1
got=$?
[ $got = "$code" ] || fail "expected exit code $code of $file, got $got"
case $code in
  0) grep -q 'nothing is wrong, 0 wrong of [1-9]' "$work/log" || fail "expected outputs to be compared" ;;
  1) grep -q 'REPRODUCED, [1-9]' "$work/log" || fail "expected wrong elements" ;;
esac
cat "$work/log"
