# warpfuzz_add_target(<name> SOURCES fuzz_<name>.cc [...] [INCLUDES dir...] [DEFINES X=1...] [OPTIONS flag...] [LINKS lib...]
#   [SEEDS dir] [FAST_MATH] [NO_TEST])
# One fuzz target = one executable fuzz_<name>. Its sources are CUDA C++ for the CPU executor; each goes through
#   clang++ -E  ->  warpfuzz-rewrite  ->  clang++ -c      (docs/build.md)
# and is built again when it, anything it includes, the rewriter or the pass changes. INCLUDES: for #include "kernels/x.cu",
# besides the folders of the source and of the project. Global properties WARPFUZZ_TARGET_NAMES and bin/targets.json list all.
#
# In a build for GPUs (WARPFUZZ_BACKEND=cuda) the same call makes the binaries that WarpFuzzCudaTargets.cmake lists.
include("${CMAKE_CURRENT_LIST_DIR}/WarpFuzzChecks.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/WarpFuzzResponseFile.cmake")
# CMake 3.27 and newer take what a link depends on from the linker's own list, in which lld leaves spaces of a path as they are.
set(CMAKE_LINK_DEPENDS_USE_LINKER OFF)
include("${CMAKE_CURRENT_LIST_DIR}/WarpFuzzTargetTests.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/WarpFuzzCuda.cmake")
if(WARPFUZZ_BACKEND STREQUAL "cuda")
  include("${CMAKE_CURRENT_LIST_DIR}/WarpFuzzCudaTargets.cmake")
endif()
set(WARPFUZZ_CMAKE_DIR "${CMAKE_CURRENT_LIST_DIR}" CACHE INTERNAL "")

function(warpfuzz_add_target name)
  cmake_parse_arguments(ARG "${WARPFUZZ_FLAG_KEYWORDS}" "${WARPFUZZ_VALUE_KEYWORDS}" "${WARPFUZZ_LIST_KEYWORDS}" ${ARGN})
  warpfuzz_check_build_()
  warpfuzz_check_arguments_("${name}")
  if(NOT TARGET WarpFuzz::engine)
    warpfuzz_refuse_("warpfuzz_add_target(${name}): expected find_package(WarpFuzz) in this CMakeLists.txt or in one above it, it was called elsewhere")
  endif()
  set(fast_math "")
  if(ARG_FAST_MATH)
    set(fast_math FAST_MATH)
  endif()
  if(WARPFUZZ_BACKEND STREQUAL "cuda")
    warpfuzz_cuda_binaries_(${name})
  else()
    warpfuzz_cpu_binaries_(${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY WARPFUZZ_TARGET_NAMES ${name})
  warpfuzz_remember_sources_(${name} SOURCES ${ARG_SOURCES} INCLUDES ${ARG_INCLUDES} DEFINES ${ARG_DEFINES})
  warpfuzz_command_beside_(${name})
  warpfuzz_encode_seeds_(${name} "${ARG_SEEDS}")
  warpfuzz_plan_target_test_(${name} "${ARG_NO_TEST}")
  warpfuzz_list_targets_()
endfunction()

# The CPU executor's binary. A macro, as the next one: it reads the ARG_ variables of warpfuzz_add_target.
macro(warpfuzz_cpu_binaries_ name)
  set(objects "")
  foreach(source IN LISTS ARG_SOURCES)
    warpfuzz_kernel_object(object ${name} "${source}" ${fast_math} INCLUDES ${ARG_INCLUDES}
      DEFINES WARPFUZZ_TARGET_NAME=${name} ${ARG_DEFINES} OPTIONS ${ARG_OPTIONS})
    list(APPEND objects "${object}")
  endforeach()

  add_executable(fuzz_${name} ${objects})
  set_target_properties(fuzz_${name} PROPERTIES LINKER_LANGUAGE CXX EXPORT_COMPILE_COMMANDS OFF)
  if(NOT CMAKE_RUNTIME_OUTPUT_DIRECTORY)
    set_target_properties(fuzz_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
  endif()
  target_link_libraries(fuzz_${name} PRIVATE ${ARG_LINKS})
  target_link_options(fuzz_${name} PRIVATE LINKER:--wrap=exit)  # src/process/death/early_end.cc
  if(WARPFUZZ_ENGINE STREQUAL "replay")
    target_link_libraries(fuzz_${name} PRIVATE WarpFuzz::replay_main WarpFuzz::engine)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=address)
  elseif(WARPFUZZ_ENGINE STREQUAL "external")
    # First: the engine's main needs our entry points.
    target_link_libraries(fuzz_${name} PRIVATE "${WARPFUZZ_ENGINE_LIBRARY}" WarpFuzz::libfuzzer_entry WarpFuzz::engine WarpFuzz::exec_trace)
  else()
    target_link_libraries(fuzz_${name} PRIVATE WarpFuzz::libfuzzer_entry WarpFuzz::engine WarpFuzz::exec_trace)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer,address)
  endif()
  if(NOT WARPFUZZ_ENGINE STREQUAL "external")
    warpfuzz_coverage_binary_(${name})
  endif()
endmacro()

# coverage_<name>, built on demand (scripts/coverage): the same sources with gcov's counters behind the plain main that replays
# files.
macro(warpfuzz_coverage_binary_ name)
  set(objects "")
  foreach(source IN LISTS ARG_SOURCES)
    warpfuzz_kernel_object(object ${name}.coverage "${source}" ${fast_math} INCLUDES ${ARG_INCLUDES}
      DEFINES WARPFUZZ_TARGET_NAME=${name} ${ARG_DEFINES} OPTIONS ${ARG_OPTIONS} -O0 --coverage -fno-sanitize=fuzzer-no-link)
    list(APPEND objects "${object}")
  endforeach()
  add_executable(coverage_${name} EXCLUDE_FROM_ALL ${objects})
  set_target_properties(coverage_${name} PROPERTIES LINKER_LANGUAGE CXX EXPORT_COMPILE_COMMANDS OFF
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/coverage")
  target_link_libraries(coverage_${name} PRIVATE ${ARG_LINKS} WarpFuzz::replay_main WarpFuzz::engine)
  target_link_options(coverage_${name} PRIVATE LINKER:--wrap=exit -fsanitize=address --coverage)
endmacro()

# warpfuzz_kernel_object(<out> <name> <source> [FAST_MATH] [INCLUDES ...] [DEFINES ...] [OPTIONS ...]): the pipeline for one source of CUDA
# C++; <out> becomes the object's path. No global flags: what CMAKE_CXX_FLAGS says is for other code, unless a service says
# with them how targets are compiled.
function(warpfuzz_kernel_object out name source)
  cmake_parse_arguments(ARG "FAST_MATH" "" "INCLUDES;DEFINES;OPTIONS" ${ARGN})
  get_filename_component(source "${source}" ABSOLUTE)
  set(dir "${CMAKE_CURRENT_BINARY_DIR}/warpfuzz/${name}")
  file(MAKE_DIRECTORY "${dir}")
  get_filename_component(base "${source}" NAME_WE)
  set(stem "${dir}/${base}")
  file(RELATIVE_PATH shown "${CMAKE_BINARY_DIR}" "${stem}.o")

  # A null pointer is an access that the executor reports, not a licence to drop code; a large frame touches each page,
  # so that it meets the guard below the stack; a local variable that nobody set holds a pattern, so that the optimiser
  # can't make another error out of it.
  set(language -std=c++20 -fdeclspec -ffp-contract=off -fno-strict-aliasing -fno-delete-null-pointer-checks
    -fstack-clash-protection -ftrivial-auto-var-init=pattern -w -fno-caret-diagnostics)
  if(WARPFUZZ_ENGINE STREQUAL "external")
    separate_arguments(service NATIVE_COMMAND "${CMAKE_CXX_FLAGS}")
    list(PREPEND language ${service})
    list(APPEND language ${WARPFUZZ_EXTERNAL_FLAGS} -fno-sanitize-coverage=stack-depth)
  else()
    list(APPEND language -g -fsanitize=address -fsanitize-address-use-after-return=never)
  endif()
  if(WARPFUZZ_ENGINE STREQUAL "replay")
    list(APPEND language -O0)
  elseif(WARPFUZZ_ENGINE STREQUAL "libfuzzer")
    list(APPEND language -O1 -fsanitize=fuzzer-no-link -fno-sanitize-coverage=stack-depth)
  endif()
  list(APPEND language ${ARG_OPTIONS})

  # Of the system kind (-isystem): everything that is not the user's. The rewriter looks for constructs that the
  # executor cannot run in the user's files alone.
  set(preprocess ${language})
  foreach(define IN LISTS ARG_DEFINES)
    list(APPEND preprocess "-D${define}")
  endforeach()
  foreach(folder IN LISTS ARG_INCLUDES ITEMS "${CMAKE_CURRENT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}")
    get_filename_component(folder "${folder}" ABSOLUTE)
    list(APPEND preprocess "-I${folder}")
  endforeach()
  foreach(folder IN LISTS WARPFUZZ_SURFACE_INCLUDES WARPFUZZ_TARGET_INCLUDES ITEMS "${WARPFUZZ_CUDA_INCLUDE_FOUND}")
    list(APPEND preprocess -isystem "${folder}")
  endforeach()
  if(ARG_FAST_MATH)
    list(APPEND preprocess -include warpfuzz_cuda/fast_math_build.h)
  endif()
  list(APPEND preprocess -include warpfuzz_cuda/cuda_on_cpu.h)

  # Columns would be those of the rewritten text.
  set(compile ${language} -fno-show-column -Wno-c++11-narrowing -ftemplate-backtrace-limit=1 -ferror-limit=5)
  if(WARPFUZZ_PASS_FILE)
    list(APPEND compile -fpass-plugin=${WARPFUZZ_PASS_FILE} -Xclang -load -Xclang "${WARPFUZZ_PASS_FILE}")
    foreach(folder IN LISTS WARPFUZZ_SURFACE_INCLUDES ITEMS "${WARPFUZZ_CUDA_INCLUDE_FOUND}")
      list(APPEND compile -mllvm "-warpfuzz-surface=${folder}")
    endforeach()
    foreach(folder IN LISTS WARPFUZZ_TARGET_INCLUDES CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
      list(APPEND compile -mllvm "-warpfuzz-system=${folder}")
    endforeach()
    if(NOT WARPFUZZ_ENGINE STREQUAL "replay")
      list(APPEND compile -mllvm -warpfuzz-fcmp)
    endif()
  endif()

  foreach(stage preprocess compile)
    warpfuzz_response_file_(clang "${stem}.${stage}.rsp" ${${stage}})
  endforeach()
  add_custom_command(
    OUTPUT "${stem}.o"
    COMMAND "${CMAKE_CXX_COMPILER}" -x c++ -E "${source}" -o ${base}.i -MD -MF ${base}.d -MQ "${stem}.o" @${base}.preprocess.rsp
    COMMAND ${WARPFUZZ_REWRITE} ${base}.i ${base}.ii
    COMMAND "${CMAKE_CXX_COMPILER}" -x c++-cpp-output -c ${base}.ii -o ${base}.o @${base}.compile.rsp
    WORKING_DIRECTORY "${dir}"
    DEPENDS "${source}" "${stem}.preprocess.rsp" "${stem}.compile.rsp" ${WARPFUZZ_REWRITE_DEPENDS} ${WARPFUZZ_PASS_DEPENDS}
    DEPFILE "${stem}.d"
    COMMENT "Building kernels of fuzz_${name} for the CPU executor: ${shown}"
    VERBATIM)
  set_source_files_properties("${stem}.o" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set(${out} "${stem}.o" PARENT_SCOPE)
endfunction()

# seeds/<name>/*.case of the project (or of SEEDS dir) -> seeds/<name>/* in the build folder, as bytes. Part of building the
# target: the target's own binary encodes them, so that they survive a change of the encoding.
function(warpfuzz_encode_seeds_ name seeds)
  if(NOT seeds)
    set(seeds "${PROJECT_SOURCE_DIR}/seeds/${name}")
  endif()
  get_filename_component(seeds "${seeds}" ABSOLUTE)
  file(GLOB cases CONFIGURE_DEPENDS "${seeds}/*.case")
  if(NOT cases OR NOT WARPFUZZ_COMMAND)
    return()
  endif()
  set_property(TARGET fuzz_${name} APPEND PROPERTY LINK_DEPENDS ${cases})
  if(TARGET warpfuzz)
    add_dependencies(fuzz_${name} warpfuzz)
  endif()
  add_custom_command(TARGET fuzz_${name} POST_BUILD
    COMMAND "${CMAKE_COMMAND}" "-DCOMMAND=${WARPFUZZ_COMMAND}" "-DBIN=$<TARGET_FILE_DIR:fuzz_${name}>" -DTARGET=${name}
      "-DFROM=${seeds}" "-DTO=${CMAKE_BINARY_DIR}/seeds/${name}" -P "${WARPFUZZ_CMAKE_DIR}/encode_seeds.cmake"
    VERBATIM)
endfunction()

# What `warpfuzz export` needs to take a target's source apart: paths, folders of #include, definitions; as JSON text.
function(warpfuzz_remember_sources_ name)
  cmake_parse_arguments(ARG "" "" "SOURCES;INCLUDES;DEFINES" ${ARGN})
  foreach(list SOURCES INCLUDES)
    set(paths "")
    foreach(path IN LISTS ARG_${list})
      get_filename_component(path "${path}" ABSOLUTE)
      list(APPEND paths "${path}")
    endforeach()
    set(ARG_${list} "${paths}")
  endforeach()
  list(APPEND ARG_INCLUDES "${CMAKE_CURRENT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}")
  list(REMOVE_DUPLICATES ARG_INCLUDES)
  list(GET ARG_SOURCES 0 source)
  warpfuzz_json_strings_(source "${source}")
  set(text "\"source\": ${source}")
  foreach(list SOURCES INCLUDES DEFINES)
    string(TOLOWER ${list} key)
    warpfuzz_json_strings_(strings "${ARG_${list}}")
    string(APPEND text ", \"${key}\": [${strings}]")
  endforeach()
  warpfuzz_json_strings_(folder "${CMAKE_CURRENT_BINARY_DIR}/warpfuzz/${name}.coverage")
  set_property(GLOBAL PROPERTY WARPFUZZ_TARGET_JSON_${name} "${text}, \"coverage\": ${folder}")
endfunction()
function(warpfuzz_json_strings_ out items)
  set(strings "")
  foreach(item IN LISTS items)
    string(REPLACE "\\" "\\\\" item "${item}")
    string(REPLACE "\"" "\\\"" item "${item}")
    list(APPEND strings "\"${item}\"")
  endforeach()
  list(JOIN strings ", " text)
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

# bin/targets.json: {"engine": ..., "backend": ..., "targets": [{"name", "list", "binary", "source", "sources", "includes", "defines", "coverage"}]}, for the
# command, the scripts and the tests. list: what the target is known to be, by the global properties WARPFUZZ_CONTROLS,
# WARPFUZZ_PLANTED_BUGS and WARPFUZZ_SUBTLE_BUGS; "" for others.
function(warpfuzz_list_targets_)
  get_property(planned GLOBAL PROPERTY WARPFUZZ_LIST_PLANNED)
  if(NOT planned)
    set_property(GLOBAL PROPERTY WARPFUZZ_LIST_PLANNED ON)
    cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL warpfuzz_write_target_list_)
  endif()
endfunction()
function(warpfuzz_write_target_list_)
  get_property(names GLOBAL PROPERTY WARPFUZZ_TARGET_NAMES)
  set(entries "")
  foreach(name IN LISTS names)
    set(list "")
    foreach(known CONTROLS PLANTED_BUGS SUBTLE_BUGS)
      get_property(members GLOBAL PROPERTY WARPFUZZ_${known})
      if(name IN_LIST members)
        string(TOLOWER ${known} list)
      endif()
    endforeach()
    get_property(sources GLOBAL PROPERTY WARPFUZZ_TARGET_JSON_${name})
    list(APPEND entries "    {\"name\": \"${name}\", \"list\": \"${list}\", \"binary\": \"$<TARGET_FILE:fuzz_${name}>\",\n     ${sources}}")
  endforeach()
  list(JOIN entries ",\n" entries)
  if(CMAKE_RUNTIME_OUTPUT_DIRECTORY)
    set(bin "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  else()
    set(bin "${CMAKE_BINARY_DIR}/bin")
  endif()
  file(GENERATE OUTPUT "${bin}/targets.json" CONTENT "{\n  \"engine\": \"${WARPFUZZ_ENGINE}\",\n  \"backend\": \"${WARPFUZZ_BACKEND}\",\n  \"targets\": [\n${entries}\n  ]\n}\n")
endfunction()

# In this source tree; the installed package sets the same variables (WarpFuzzConfig.cmake).
if(NOT DEFINED WARPFUZZ_INSTALLED)
  set(WARPFUZZ_SURFACE_INCLUDES "${WARPFUZZ_SOURCE_ROOT}/src/exec/cpu/include" CACHE INTERNAL "")
  set(WARPFUZZ_TARGET_INCLUDES "${WARPFUZZ_SOURCE_ROOT}/src" "${WARPFUZZ_SOURCE_ROOT}/src/pipeline/include" CACHE INTERNAL "")
  set(WARPFUZZ_REWRITE "$<TARGET_FILE:warpfuzz-rewrite>" CACHE INTERNAL "")
  set(WARPFUZZ_REWRITE_DEPENDS warpfuzz-rewrite CACHE INTERNAL "")
  set(WARPFUZZ_COMMAND "$<TARGET_FILE:warpfuzz>" CACHE INTERNAL "")
  if(WARPFUZZ_ENGINE STREQUAL "external")
    set(WARPFUZZ_COMMAND "" CACHE INTERNAL "")
  endif()
endif()
