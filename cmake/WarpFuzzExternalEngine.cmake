# -DWARPFUZZ_ENGINE=external: targets for a fuzzing service that brings its own engine and flags (docs/oss-fuzz.md).
#   WARPFUZZ_ENGINE_LIBRARY   what links the engine: a flag such as -fsanitize=fuzzer, or an archive
#   CMAKE_CXX_FLAGS           standard library, sanitizer, coverage; kernels are compiled with them too
# The service's standard library is not the system's, so no C++ library of the system can be linked: fmt and
# nlohmann-json come as headers alone, zstd as a static library.
set(WARPFUZZ_ENGINE_LIBRARY "-fsanitize=fuzzer" CACHE STRING "engine external: the flag or the archive of the engine")
find_path(WARPFUZZ_FMT_INCLUDE fmt/format.h REQUIRED)
find_path(WARPFUZZ_JSON_INCLUDE nlohmann/json.hpp REQUIRED)
find_library(WARPFUZZ_ZSTD_LIBRARY NAMES libzstd.a REQUIRED)

# A package of the user's kind in front of the system's: find_package() of the layers finds these files first.
function(warpfuzz_header_only_ package target folder definitions)
  string(TOLOWER ${package} lower)
  file(WRITE "${CMAKE_FIND_PACKAGE_REDIRECTS_DIR}/${lower}-config.cmake"
    "if(NOT TARGET ${target})
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES \"${folder}\"
    INTERFACE_COMPILE_DEFINITIONS \"${definitions}\")
endif()\n")
  file(WRITE "${CMAKE_FIND_PACKAGE_REDIRECTS_DIR}/${lower}-config-version.cmake" "set(PACKAGE_VERSION_COMPATIBLE TRUE)\n")
endfunction()
warpfuzz_header_only_(fmt fmt::fmt "${WARPFUZZ_FMT_INCLUDE}" FMT_HEADER_ONLY)
warpfuzz_header_only_(nlohmann_json nlohmann_json::nlohmann_json "${WARPFUZZ_JSON_INCLUDE}" "")
