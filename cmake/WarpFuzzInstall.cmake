# cmake --install: what a project outside this tree needs for find_package(WarpFuzz) and warpfuzz_add_target(), for the backend of this build:
#   bin/                   warpfuzz, and of the backend cpu warpfuzz-rewrite
#   lib/                   the libraries;  lib/warpfuzz/   the compiler pass
#   include/warpfuzz/      the headers in their folders;  lib/cmake/WarpFuzz/   the package
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/WarpFuzz")
set(header_dir "${CMAKE_INSTALL_INCLUDEDIR}/warpfuzz")

# The libraries of the build's backend, its tool and its compiler pass.
set(layers base numeric schema ops oracle peers exec exec_${WARPFUZZ_BACKEND} findings process pipeline protocol service engine
  libfuzzer_entry replay_main)
if(WARPFUZZ_BACKEND STREQUAL "cuda")
  list(APPEND layers gpu_server_main)
  set(tools warpfuzz)
  set(pass warpfuzz_device_pass)
else()
  list(APPEND layers exec_trace)
  set(tools warpfuzz warpfuzz-rewrite)
  set(pass warpfuzz_pass)
endif()
set(exported "")
foreach(layer IN LISTS layers)
  if(NOT TARGET warpfuzz_${layer})
    install(CODE "message(FATAL_ERROR \" WarpFuzz: nothing to install: the library '${layer}' is not part of this build (engine ${WARPFUZZ_ENGINE}, backend ${WARPFUZZ_BACKEND})\")")
    return()
  endif()
  set_target_properties(warpfuzz_${layer} PROPERTIES EXPORT_NAME ${layer})
  list(APPEND exported warpfuzz_${layer})
endforeach()
install(TARGETS ${exported} EXPORT WarpFuzzTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  INCLUDES DESTINATION "${header_dir}" "${header_dir}/pipeline/include")
foreach(tool IN LISTS tools)
  if(TARGET ${tool})
    string(REPLACE "warpfuzz-" "" name ${tool})
    set_target_properties(${tool} PROPERTIES EXPORT_NAME ${name})
    install(TARGETS ${tool} EXPORT WarpFuzzTargets RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  endif()
endforeach()
set(WARPFUZZ_PACKAGE_PASS "")
if(TARGET ${pass})
  install(TARGETS ${pass} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/warpfuzz")
  set(WARPFUZZ_PACKAGE_PASS "${CMAKE_INSTALL_LIBDIR}/warpfuzz/${pass}.so")
endif()

# The headers keep their folders: includes are relative to src/. What only builds WarpFuzz stays at home.
install(DIRECTORY "${WARPFUZZ_SOURCE_ROOT}/src/" DESTINATION "${header_dir}" FILES_MATCHING PATTERN "*.h" PATTERN "*.def"
  PATTERN "cli" EXCLUDE PATTERN "client" EXCLUDE PATTERN "campaign" EXCLUDE PATTERN "export" EXCLUDE PATTERN "report" EXCLUDE PATTERN "illusion" EXCLUDE PATTERN "calibration" EXCLUDE
  PATTERN "toolchain" EXCLUDE)
install(DIRECTORY "${WARPFUZZ_SOURCE_ROOT}/src/exec/cpu/include/" DESTINATION "${header_dir}/exec/cpu/include")

install(EXPORT WarpFuzzTargets NAMESPACE WarpFuzz:: DESTINATION "${package_dir}")
if(WARPFUZZ_BACKEND STREQUAL "cuda")
  warpfuzz_toolkit_version(version)
  math(EXPR WARPFUZZ_PACKAGE_CUDA "${version} / 1000")
endif()
string(REGEX MATCH "^[0-9]+" WARPFUZZ_PACKAGE_CLANG "${CMAKE_CXX_COMPILER_VERSION}")
configure_package_config_file("${WARPFUZZ_CMAKE_DIR}/WarpFuzzConfig.cmake.in" "${CMAKE_CURRENT_BINARY_DIR}/WarpFuzzConfig.cmake"
  INSTALL_DESTINATION "${package_dir}" PATH_VARS header_dir)
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/WarpFuzzConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/WarpFuzzConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/WarpFuzzConfigVersion.cmake"
  DESTINATION "${package_dir}")
foreach(file WarpFuzzChecks WarpFuzzCuda WarpFuzzCudaTargets WarpFuzzCudaToolkit WarpFuzzResponseFile WarpFuzzTargets WarpFuzzTargetTests compile_instrumented
    encode_seeds test_target)
  install(FILES "${WARPFUZZ_CMAKE_DIR}/${file}.cmake" DESTINATION "${package_dir}/functions")
endforeach()
