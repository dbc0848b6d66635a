#!/usr/bin/env bash
# misuse_test.sh SOURCE BUILD WORK CXX CC: what a project of one's own may get wrong in its CMakeLists.txt, against the package of BUILD and
# against SOURCE. Each must end the configuration with one line that says what was expected.
set -uo pipefail
source=$1 build=$2 work=$3 cxx=$4 cc=$5
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1
cmake --install "$build" --prefix "$work/prefix" >install.log 2>&1 || { tail -n 20 install.log; exit 1; }
cuda=$(sed -n 's/^WARPFUZZ_CUDA_INCLUDE_FOUND:INTERNAL=//p' "$build/CMakeCache.txt")
compiler=("-DCMAKE_CXX_COMPILER=$cxx" "-DCMAKE_C_COMPILER=$cc")
package="find_package(WarpFuzz REQUIRED)"
tree="add_subdirectory(\"$source\" warpfuzz)"
add() { echo "warpfuzz_add_target($*)"; }
failed=0 count=0

# The text that must be there, the CMakeLists.txt behind project(), more options of cmake. LANGUAGES in the environment.
refused() {
  local text=$1 lists=$2
  shift 2
  count=$((count + 1))
  rm -rf project out
  mkdir project
  : >project/a.cc
  : >project/b.cc
  printf 'cmake_minimum_required(VERSION 3.25)\nproject(Mine LANGUAGES %s)\n%s\n' "${LANGUAGES-C CXX}" "$lists" >project/CMakeLists.txt
  cmake -S project -B out -G "${GENERATOR-Ninja}" "${compiler[@]}" "-DWARPFUZZ_CUDA_INCLUDE=$cuda" "-DCMAKE_PREFIX_PATH=$work/prefix" "$@" >log 2>&1
  local code=$? problem=""
  [ $code != 0 ] || problem="expected an error"
  case $(grep '^ *WarpFuzz: ' log) in *"$text"*) ;; *) problem="expected one line WarpFuzz: ...$text..." ;; esac
  [ "$(grep -c '^CMake Error' log)" = 1 ] || problem="expected one error"
  [ -z "$problem" ] && return
  failed=$((failed + 1))
  echo "FAILED: $lists $*: $problem; got (exit code $code):"
  sed '/^-- /d' log | cut -c1-300
}

# Words that are no keywords, sources that are none.
refused "unknown keyword 'SOURCE', expected one of SOURCES, INCLUDES, DEFINES, OPTIONS, LINKS, SEEDS, FAST_MATH, NO_TEST: did you mean SOURCES?" "$package
$(add x SOURCE a.cc)"
refused "unknown keyword 'INCLUDE', expected one of" "$package
$(add x SOURCES a.cc INCLUDE dir)"
refused "did you mean DEFINES?" "$package
$(add x SOURCES a.cc DEFINE X=1)"
refused "did you mean INCLUDES (a definition of this name is written INCLUDE=1)?" "$package
$(add x SOURCES a.cc DEFINES X=1 INCLUDE dir)"
refused "did you mean FAST_MATH?" "$package
$(add x SOURCES a.cc FASTMATH)"
refused "got 'a.cc' behind no keyword" "$package
$(add x a.cc)"
refused "got no SOURCES" "$package
$(add x)"
refused "there is no file $work/project/none.cc" "$package
$(add x SOURCES none.cc)"
refused "there is no file $work/project/none.cc" "$tree
$(add x SOURCES a.cc none.cc)"
refused "got two called 'a'" "$package
$(add x SOURCES a.cc ../project/a.cc)"
refused "SEEDS: expected a folder with *.case files, got 'none'" "$package
$(add x SOURCES a.cc SEEDS none)"
refused "SEEDS: expected a folder" "$package
$(add x SOURCES a.cc SEEDS)"
# Names.
for name in all bugs controls new; do
  refused "expected another name: '$name' stands for" "$package
$(add $name SOURCES a.cc)"
done
refused "expected a C++ identifier as the target's name, got 'my-kernel'" "$package
$(add my-kernel SOURCES a.cc)"
refused "write 'softmax'" "$package
$(add fuzz_softmax SOURCES a.cc)"
refused "there is a target 'x' already" "$package
$(add x SOURCES a.cc)
$(add x SOURCES b.cc)"
# The build around them.
refused "expected one of libfuzzer, replay, got 'afl'" "$package" -DWARPFUZZ_ENGINE=afl
refused "expected one of libfuzzer, replay, external, got 'afl'" "$tree" -DWARPFUZZ_ENGINE=afl
refused "WARPFUZZ_BACKEND: expected one of cpu, cuda, got 'gpu'" "$tree" -DWARPFUZZ_BACKEND=gpu
refused "WARPFUZZ_BACKEND: expected cpu, which the package in $work/prefix was built for, got 'cuda'" "$package" -DWARPFUZZ_BACKEND=cuda
LANGUAGES=C refused "write project(... LANGUAGES C CXX)" "$package"
GENERATOR="Ninja Multi-Config" refused "configure with -G Ninja" "$package"
refused "expected find_package(WarpFuzz) in this CMakeLists.txt or in one above it" "file(WRITE sub/CMakeLists.txt \"$package\")
add_subdirectory(sub)
$(add x SOURCES a.cc)"
if gxx=$(command -v g++); then
  compiler=("-DCMAKE_CXX_COMPILER=$gxx" "-DCMAKE_C_COMPILER=$cc")
  version=$("$cxx" -dumpversion | cut -d. -f1)
  refused "got GNU" "$package"
  refused "-DCMAKE_CXX_COMPILER=clang++-$version" "$package"
  refused "expected clang 19 or newer, got GNU" "$tree"
fi
echo "$((count - failed)) of $count passed"
[ $failed = 0 ]
