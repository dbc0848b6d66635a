# warpfuzz_library(<layer> SOURCES ... [LINKS ...] [PRIVATE_LINKS ...] [PRECOMPILE <header>...])
# One src/ folder = one static library warpfuzz_<layer>, alias WarpFuzz::<layer>. Never instrumented by the fuzzing
# engine: its edges would drown those of the kernel under test. -ffp-contract=off: fills and references must give the
# same bits on every machine.
function(warpfuzz_library layer)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS;PRECOMPILE" ${ARGN})
  add_library(warpfuzz_${layer} STATIC ${ARG_SOURCES})
  add_library(WarpFuzz::${layer} ALIAS warpfuzz_${layer})
  warpfuzz_own_code(warpfuzz_${layer})
  target_include_directories(warpfuzz_${layer} PUBLIC "$<BUILD_INTERFACE:${WARPFUZZ_SOURCE_ROOT}/src>")
  target_link_libraries(warpfuzz_${layer} PUBLIC ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
  if(ARG_PRECOMPILE OR "fmt::fmt" IN_LIST ARG_PRIVATE_LINKS)
    warpfuzz_precompile_(warpfuzz_${layer} library ${ARG_PRECOMPILE})
  endif()
endfunction()

# Language level, warnings and arithmetic of our own code.
function(warpfuzz_own_code target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -Wall -Wextra -ffp-contract=off
    $<IF:$<CONFIG:Debug>,-g,-g1> $<$<NOT:$<CONFIG:Debug>>:-O2> $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=fuzzer-no-link>)
  if(WARPFUZZ_ENGINE STREQUAL "external")
    target_compile_options(${target} PRIVATE ${WARPFUZZ_EXTERNAL_FLAGS})
  endif()
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
endfunction()

# warpfuzz_capitalized_(<out> <word>...): "kernels" "html" -> KernelsHtml
function(warpfuzz_capitalized_ out)
  set(joined "")
  foreach(word IN LISTS ARGN)
    string(SUBSTRING "${word}" 0 1 first)
    string(SUBSTRING "${word}" 1 -1 rest)
    string(TOUPPER "${first}" first)
    string(APPEND joined "${first}${rest}")
  endforeach()
  set(${out} "${joined}" PARENT_SCOPE)
endfunction()

# warpfuzz_embed(<out.cc> HEADER <header> FILES <file>...)
# Text files as constants of the program. <header> declares them, for page/kernels.html:
#   extern const std::string_view kKernelsHtml;
function(warpfuzz_embed out)
  cmake_parse_arguments(ARG "" "HEADER" "FILES" ${ARGN})
  set(texts "")
  foreach(file IN LISTS ARG_FILES)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    get_filename_component(name "${file}" NAME)
    string(REPLACE "." ";" words "${name}")
    warpfuzz_capitalized_(constant ${words})
    file(READ "${file}" text)
    string(APPEND texts "// ${file}\nconst std::string_view k${constant} = R\"warpfuzz(${text})warpfuzz\";\n")
  endforeach()
  file(CONFIGURE OUTPUT "${out}" @ONLY CONTENT
    "// Text files of this library as constants; written by CMake.\n#include \"@ARG_HEADER@\"\n\nnamespace warpfuzz::cli {\n@texts@}  // namespace warpfuzz::cli\n")
endfunction()

# Half of the time of a compiler goes to the same dozen of other people's headers: they are read once. A service's build
# does without, so that a source that lacks an include of its own does not compile there.
option(WARPFUZZ_PRECOMPILE "Precompile the headers of libraries" ON)
# warpfuzz_precompile_(<target> library|test [<header>...]): the headers that all of the kind share, or some of its own.
function(warpfuzz_precompile_ target kind)
  if(NOT WARPFUZZ_PRECOMPILE OR WARPFUZZ_ENGINE STREQUAL "external" OR NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    return()
  endif()
  if(ARGN)
    target_precompile_headers(${target} PRIVATE ${ARGN})
    return()
  endif()
  set(shared warpfuzz_precompiled_${kind})
  if(NOT TARGET ${shared})
    if(kind STREQUAL "library")
      add_library(${shared} OBJECT "${WARPFUZZ_SOURCE_ROOT}/cmake/precompiled.cc")
    else()  # position independent as executables are
      add_executable(${shared} EXCLUDE_FROM_ALL "${WARPFUZZ_SOURCE_ROOT}/cmake/precompiled.cc")
    endif()
    warpfuzz_own_code(${shared})
    set(headers <algorithm> <filesystem> <functional> <map> <optional> <string> <vector>)
    if(kind STREQUAL "library")
      list(APPEND headers <fmt/format.h> <nlohmann/json.hpp>)
      target_link_libraries(${shared} PRIVATE fmt::fmt nlohmann_json::nlohmann_json)
    else()
      list(APPEND headers <gmock/gmock.h> <gtest/gtest.h>)
      target_link_libraries(${shared} PRIVATE GTest::gmock GTest::gtest_main)
    endif()
    target_precompile_headers(${shared} PRIVATE ${headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${shared})
endfunction()

# warpfuzz_test(<name> SOURCES ... LINKS ... [LABELS ...]): a GoogleTest executable whose cases ctest sees one by one.
function(warpfuzz_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  warpfuzz_own_code(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} GTest::gmock GTest::gtest_main)
  warpfuzz_precompile_(${name} test)
  set(lock "")
  if("gpu" IN_LIST ARG_LABELS)  # a kernel that hangs holds up whoever else has a context on the GPU
    set(lock RESOURCE_LOCK gpu)
  endif()
  gtest_discover_tests(${name} NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 300 LABELS "${ARG_LABELS}" ${lock})
endfunction()

# Of a service's sanitizers, what does not hold here: references and kernels divide by zero as IEEE 754 defines it, hashes
# wrap around, and threads are fibers, of which stacks that are moved to the heap know nothing.
set(WARPFUZZ_EXTERNAL_FLAGS -fno-sanitize=float-divide-by-zero,unsigned-integer-overflow
  -fsanitize-address-use-after-return=never -Wno-unused-command-line-argument CACHE INTERNAL "")

get_filename_component(WARPFUZZ_SOURCE_ROOT "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
set(WARPFUZZ_SOURCE_ROOT "${WARPFUZZ_SOURCE_ROOT}" CACHE INTERNAL "")
