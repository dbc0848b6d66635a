# What a project of its own gets beside its targets: the command `warpfuzz` in the same folder, and a test of each target for ctest.
option(WARPFUZZ_TARGET_TESTS "In a project with enable_testing(): a test for each target" ON)
set(WARPFUZZ_TEST_RUNS 2000 CACHE STRING "Executions of each target's test, from a fixed seed")

# WarpFuzz's own tree has the command there already, and tests of its own.
function(warpfuzz_outside_ out)
  set(outside ON)
  if(PROJECT_SOURCE_DIR STREQUAL WARPFUZZ_SOURCE_ROOT)
    set(outside OFF)
  endif()
  set(${out} ${outside} PARENT_SCOPE)
endfunction()

# bin/warpfuzz, a copy: the command looks for targets beside itself.
function(warpfuzz_command_beside_ name)
  warpfuzz_outside_(outside)
  if(NOT outside OR NOT WARPFUZZ_COMMAND)
    return()
  endif()
  set(bin "${CMAKE_BINARY_DIR}/bin")
  if(CMAKE_RUNTIME_OUTPUT_DIRECTORY)
    set(bin "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  endif()
  if(TARGET warpfuzz)
    set_target_properties(warpfuzz PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${bin}")
    add_dependencies(fuzz_${name} warpfuzz)
    return()
  endif()
  if(NOT TARGET warpfuzz_command)
    add_custom_command(OUTPUT "${bin}/warpfuzz" COMMAND "${CMAKE_COMMAND}" -E copy "${WARPFUZZ_COMMAND}" "${bin}/warpfuzz"
      DEPENDS "${WARPFUZZ_COMMAND}" COMMENT "Copying warpfuzz beside the targets" VERBATIM)
    add_custom_target(warpfuzz_command DEPENDS "${bin}/warpfuzz")
  endif()
  add_dependencies(fuzz_${name} warpfuzz_command)
endfunction()

# At the end of the CMakeLists.txt, so that enable_testing() may stand behind the target.
function(warpfuzz_plan_target_test_ name no_test)
  warpfuzz_outside_(outside)
  if(outside AND NOT no_test AND WARPFUZZ_COMMAND)
    cmake_language(EVAL CODE "cmake_language(DEFER CALL warpfuzz_add_target_test_ [[${name}]])")
  endif()
endfunction()
function(warpfuzz_add_target_test_ name)
  if(NOT CMAKE_TESTING_ENABLED OR NOT WARPFUZZ_TARGET_TESTS)
    return()
  endif()
  add_test(NAME warpfuzz.${name}
    COMMAND "${CMAKE_COMMAND}" -DTARGET=${name} "-DBIN=$<TARGET_FILE_DIR:fuzz_${name}>" -DENGINE=${WARPFUZZ_ENGINE} "-DRUNS=${WARPFUZZ_TEST_RUNS}"
      "-DSEEDS=${CMAKE_BINARY_DIR}/seeds/${name}" "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/warpfuzz/${name}.test" -P "${WARPFUZZ_CMAKE_DIR}/test_target.cmake"
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(warpfuzz.${name} PROPERTIES LABELS warpfuzz TIMEOUT 1500 SKIP_REGULAR_EXPRESSION "test skipped: exit code 93")
endfunction()
