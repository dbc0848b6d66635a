#!/usr/bin/env bash
# outside_test.sh SOURCE BUILD WORK CXX CC: installs BUILD, of the preset cuda, and builds the project tests/build/outside against the package. Its
# target runs on a GPU and, where there is none, ends with exit code 93.
set -euo pipefail
source=$1 build=$2 work=$3 cxx=$4 cc=$5
fail() { echo "FAILED: $*"; exit 1; }
rm -rf "$work"
mkdir -p "$work"
cp -r "$source/tests/build/outside" "$work/project"
cd "$work"
cmake --install "$build" --prefix "$work/prefix" >install.log || { tail -n 20 install.log; fail "cmake --install"; }
if grep -rlF "$source" prefix/lib/cmake prefix/include; then fail "the package names a path of the source tree"; fi
configure() { cmake -S project -B "$1" -G Ninja "-DCMAKE_CXX_COMPILER=$cxx" "-DCMAKE_C_COMPILER=$cc" "-DCMAKE_PREFIX_PATH=$work/prefix" "${@:2}" >configure.log 2>&1; }
configure out || { tail -n 30 configure.log; fail "configure"; }
ninja -C out -j2 fuzz_my_scale >build.log 2>&1 || { tail -n 30 build.log; fail "build"; }
expected=93
[ -e /dev/nvidia0 ] && expected=0
code=0
out/bin/fuzz_my_scale -runs=100 -seed=1 "-artifact_prefix=$work/" >run.log 2>&1 || code=$?
[ $code = $expected ] || { tail -n 20 run.log; fail "expected exit code $expected, got $code"; }
ninja -C out fuzz_my_scale >again.log 2>&1
grep -q 'no work to do' again.log || { cat again.log; fail "a second build has work to do"; }

refused() { # text, options of cmake
  configure refused "${@:2}" && fail "expected $2 to be refused"
  grep -qF "WarpFuzz: $1" configure.log || { tail -n 30 configure.log; fail "expected '$1' for $2"; }
  rm -rf refused
}
refused "WARPFUZZ_BACKEND: expected cuda, which the package in $work/prefix was built for, got 'cpu'" -DWARPFUZZ_BACKEND=cpu
refused "WARPFUZZ_CUDA_ARCHITECTURES: the installed package was built for" -DWARPFUZZ_CUDA_ARCHITECTURES=75
echo passed
