#!/usr/bin/env bash
# outside_test.sh MODE SOURCE BUILD WORK CXX CC: builds the project outside/ against WarpFuzz and runs it.
#   MODE package: `cmake --install` of BUILD, then find_package;  subdirectory: add_subdirectory of SOURCE
# Then it changes a header that the kernel includes, and expects the rebuilt target to see it.
set -euo pipefail
mode=$1 source=$2 build=$3 work=$4 cxx=$5 cc=$6
fail() { echo "FAILED: $*"; exit 1; }

rm -rf "$work"
mkdir -p "$work"
cp -r "$source/tests/build/outside" "$work/project"
cd "$work"
if [ "$mode" = package ]; then
  cmake --install "$build" --prefix "$work/prefix" >install.log || { tail -n 20 install.log; fail "cmake --install"; }
  if grep -rlF "$source" prefix/lib/cmake prefix/include; then fail "the package names a path of the source tree"; fi
  where=("-DCMAKE_PREFIX_PATH=$work/prefix")
else
  # What a project needs of the tree, as a copy: nothing else of it may be reached for.
  mkdir warpfuzz
  cp -r "$source/CMakeLists.txt" "$source/cmake" "$source/src" warpfuzz/
  where=("-DWARPFUZZ_SOURCE=$work/warpfuzz")
fi
cuda=$(sed -n 's/^WARPFUZZ_CUDA_INCLUDE_FOUND:INTERNAL=//p' "$build/CMakeCache.txt")
cmake -S project -B out -G Ninja -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_COMPILER=$cxx" "-DCMAKE_C_COMPILER=$cc" \
  "-DWARPFUZZ_CUDA_INCLUDE=$cuda" "${where[@]}" >configure.log 2>&1 || { tail -n 30 configure.log; fail "configure"; }
make_it() { ninja -C out -j2 fuzz_my_scale >build.log 2>&1 || { tail -n 30 build.log; fail "build"; }; }
make_it
find_binary() { find out -name fuzz_my_scale -type f -perm -u+x -print -quit; }
binary=$(find_binary)
[ "$binary" = out/bin/fuzz_my_scale ] || fail "expected the binary in out/bin, found '$binary'"

run() { # expected exit code
  local code=0
  "$binary" -runs=300 -seed=1 -artifact_prefix="$work/" >run.log 2>&1 || code=$?
  [ "$code" = "$1" ] || { tail -n 30 run.log; fail "expected exit code $1 of $binary, got $code"; }
}
run 0

ninja -C out -d explain fuzz_my_scale >again.log 2>&1
grep -q 'no work to do' again.log || { head -n 20 again.log; fail "a second build has work to do"; }
sed -i 's/return v \* MY_FACTOR/return v * (MY_FACTOR + 1)/' project/kernels/scale.cuh
make_it
run 77
grep -q 'my_scale/value' run.log || { tail -n 30 run.log; fail "expected the key my_scale/value"; }
sed -i 's/ + 1//' project/kernels/scale.cuh
make_it
run 0

# The command is beside the targets, and ctest runs each of them: a new finding fails the test, a kept one does not.
[ -x out/bin/warpfuzz ] || fail "expected the command out/bin/warpfuzz"
tested() { # expected exit code of ctest: 0 or 8
  local code=0
  (cd out && ctest --output-on-failure) >test.log 2>&1 || code=$?
  [ "$code" = "$1" ] || { tail -n 40 test.log; fail "expected exit code $1 of ctest, got $code"; }
  grep -q 'warpfuzz.my_scale' test.log || { cat test.log; fail "expected the test warpfuzz.my_scale"; }
}
tested 0
sed -i 's,v \* (MY_FACTOR),v * (MY_FACTOR + 1),' project/kernels/scale.cuh
make_it
tested 8
keep=$(sed -n 's/^to accept it: //p' test.log)
[ -n "$keep" ] || { cat test.log; fail "expected the command that keeps the finding"; }
bash -c "$keep" >keep.log 2>&1 || { cat keep.log; fail "the printed command '$keep'"; }
ls project/crashes/my_scale/*.wfz >/dev/null || fail "expected the finding in project/crashes/my_scale"
tested 0
grep -q 'warpfuzz.my_scale .*Passed' test.log || { cat test.log; fail "expected the test to pass, not to be left out"; }

# Commands that a report prints run where the target ran, as they are printed.
run 77
replay=$(sed -n 's/^ *replay  *//p' run.log)
code=0
bash -c "$replay" >replay.log 2>&1 || code=$?
[ "$code" = 77 ] || { cat replay.log; fail "expected exit code 77 of the printed command '$replay', got $code"; }
code=0
bash -c "$(sed -n 's/^ *replay  *//p' replay.log)" >again.log 2>&1 || code=$?
[ "$code" = 77 ] || { cat again.log; fail "expected exit code 77 of the command that a replay prints, got $code"; }
out/bin/warpfuzz list project/crashes >list.log 2>&1 || { cat list.log; fail "warpfuzz list"; }
sed -i 's/ + 1//' project/kernels/scale.cuh
make_it

# A binary with no WARPFUZZ_TARGET, and one with two, says so when it starts.
printf '#include "warpfuzz/target.h"\n' >project/none.cc
for file in one two; do
  printf '#include "warpfuzz/target.h"\nWARPFUZZ_TARGET(twice, ops::relu().dtypes({f32}), [](const Launch&) {});\n' >project/$file.cc
done
printf 'warpfuzz_add_target(none SOURCES none.cc)\nwarpfuzz_add_target(twice SOURCES one.cc two.cc)\n' >>project/CMakeLists.txt
ninja -C out -j2 fuzz_none fuzz_twice >build.log 2>&1 || { tail -n 30 build.log; fail "build"; }
says() { # binary, text: one line, exit code 83
  local code=0
  "$1" -runs=1 >run.log 2>&1 || code=$?
  [ "$code" = 83 ] && [ "$(wc -l <run.log)" = 1 ] && grep -qF -- "$2" run.log || { cat run.log; fail "expected exit code 83 of $1 and '$2', got $code"; }
}
says out/bin/fuzz_none "no WARPFUZZ_TARGET in the sources of this binary"
says out/bin/fuzz_twice "two WARPFUZZ_TARGETs in the sources of this binary, at $work/project/"

# An error of the user's code: one line with the place in the file that holds it.
sed -i 's/scaled(x\[i\])/scaled(z[i])/' project/kernels/scale.cu
ninja -C out fuzz_my_scale >build.log 2>&1 && fail "a kernel with an error was built"
grep -q 'kernels/scale.cu:8: error: use of undeclared identifier' build.log || { cat build.log; fail "expected the error at scale.cu:8"; }
[ "$(grep -c ' error: ' build.log)" = 1 ] || { cat build.log; fail "expected one error line"; }
echo "passed: $mode"
