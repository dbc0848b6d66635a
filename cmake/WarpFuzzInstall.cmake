# cmake --install: what a project outside this tree needs for find_package(WarpFuzz) and warpfuzz_add_target().
#   bin/                   warpfuzz, warpfuzz-rewrite
#   lib/                   the libraries;  lib/warpfuzz/warpfuzz_pass.so
#   include/warpfuzz/      the headers in their folders;  lib/cmake/WarpFuzz/   the package
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/WarpFuzz")
set(header_dir "${CMAKE_INSTALL_INCLUDEDIR}/warpfuzz")

set(exported "")
foreach(layer numeric schema ops oracle exec exec_${WARPFUZZ_BACKEND} exec_trace findings engine libfuzzer_entry replay_main)
  if(NOT TARGET warpfuzz_${layer})
    message(STATUS "WarpFuzz: no install rules, the library '${layer}' is not part of this build")
    return()
  endif()
  set_target_properties(warpfuzz_${layer} PROPERTIES EXPORT_NAME ${layer})
  list(APPEND exported warpfuzz_${layer})
endforeach()
install(TARGETS ${exported} EXPORT WarpFuzzTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  INCLUDES DESTINATION "${header_dir}" "${header_dir}/engine/include")
set_target_properties(warpfuzz-rewrite PROPERTIES EXPORT_NAME rewrite)
install(TARGETS warpfuzz-rewrite EXPORT WarpFuzzTargets RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
if(TARGET warpfuzz)
  install(TARGETS warpfuzz EXPORT WarpFuzzTargets RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
if(TARGET warpfuzz_pass)
  install(TARGETS warpfuzz_pass LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/warpfuzz")
endif()

# The headers keep their folders: includes are relative to src/. What only builds WarpFuzz stays at home.
install(DIRECTORY "${WARPFUZZ_SOURCE_ROOT}/src/" DESTINATION "${header_dir}" FILES_MATCHING PATTERN "*.h" PATTERN "*.def"
  PATTERN "cli" EXCLUDE PATTERN "rewriter" EXCLUDE PATTERN "pass" EXCLUDE)
install(DIRECTORY "${WARPFUZZ_SOURCE_ROOT}/src/exec/cpu/include/" DESTINATION "${header_dir}/exec/cpu/include")

install(EXPORT WarpFuzzTargets NAMESPACE WarpFuzz:: DESTINATION "${package_dir}")
set(WARPFUZZ_PACKAGE_PASS "")
if(TARGET warpfuzz_pass)
  set(WARPFUZZ_PACKAGE_PASS "${CMAKE_INSTALL_LIBDIR}/warpfuzz/warpfuzz_pass.so")
endif()
string(REGEX MATCH "^[0-9]+" WARPFUZZ_PACKAGE_CLANG "${CMAKE_CXX_COMPILER_VERSION}")
configure_package_config_file("${WARPFUZZ_CMAKE_DIR}/WarpFuzzConfig.cmake.in" "${CMAKE_CURRENT_BINARY_DIR}/WarpFuzzConfig.cmake"
  INSTALL_DESTINATION "${package_dir}" PATH_VARS header_dir)
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/WarpFuzzConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/WarpFuzzConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/WarpFuzzConfigVersion.cmake"
  DESTINATION "${package_dir}")
install(FILES "${WARPFUZZ_CMAKE_DIR}/WarpFuzzTargets.cmake" "${WARPFUZZ_CMAKE_DIR}/WarpFuzzCuda.cmake"
  "${WARPFUZZ_CMAKE_DIR}/encode_seeds.cmake" DESTINATION "${package_dir}/functions")
