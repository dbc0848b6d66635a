# cmake -DCOMMAND=warpfuzz -DBIN=dir -DTARGET=name -DFROM=dir -DTO=dir -P encode_seeds.cmake
# Encodes FROM/*.case with the target's own binary into TO/*, and takes away what has no source any more.
file(GLOB cases "${FROM}/*.case")
file(MAKE_DIRECTORY "${TO}")
file(GLOB stale "${TO}/*")
foreach(case IN LISTS cases)
  get_filename_component(name "${case}" NAME_WLE)
  list(REMOVE_ITEM stale "${TO}/${name}")
  execute_process(COMMAND "${COMMAND}" --bin "${BIN}" encode "${TARGET}" "${case}" -o "${TO}/${name}"
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result STREQUAL "0")
    string(STRIP "${output}" output)
    message(FATAL_ERROR "seed ${case} can't be encoded (exit code ${result}): ${output}")
  endif()
endforeach()
if(stale)
  file(REMOVE ${stale})
endif()
