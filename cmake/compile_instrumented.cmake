# cmake -DCOMPILER=clang++ -DLAUNCHER='ccache|its argument' -DPASS=plugin.so -DRSP=flags -DSOURCE=x.cc -DOBJECT=x.o -P compile_instrumented.cmake
# Compiles instrumented CUDA. Instrumentation costs registers, and a launch of 1,024 threads, which a kernel without launch bounds must
# allow, fails where a thread has more than 64. A limit changes how ptxas schedules even where it isn't reached (a tiled matmul has 48 registers
# without and 61 with it), so the source is compiled without one, and with one only where that is needed.
file(READ "${RSP}" flags)
string(REPLACE "|" ";" LAUNCHER "${LAUNCHER}")
set(ENV{CCACHE_EXTRAFILES} "${PASS}")  # ccache knows the name of a plugin, not that its contents matter
foreach(limit none -DWARPFUZZ_REGISTER_LIMIT=64)
  if(limit STREQUAL "none")
    set(limit "")
  endif()
  execute_process(
    COMMAND ${LAUNCHER} "${COMPILER}" "@${RSP}" ${limit} -Xcuda-ptxas -v -MD -MF "${OBJECT}.d" -c "${SOURCE}" -o "${OBJECT}"
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX MATCHALL "Used [0-9]+ registers" used "${output}")
  string(REGEX REPLACE "ptxas info[^\n]*\n" "" output "${output}")
  string(REGEX REPLACE "[^\n]* bytes stack frame, [^\n]*\n" "" output "${output}")
  string(STRIP "${output}" output)
  if(output)
    message("${output}")
  endif()
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${SOURCE} does not compile for the GPU, see above")
  endif()
  set(largest 0)
  foreach(one IN LISTS used)
    string(REGEX MATCH "[0-9]+" registers "${one}")
    if(registers GREATER largest)
      set(largest ${registers})
    endif()
  endforeach()
  if(largest LESS_EQUAL 64 OR flags MATCHES "WARPFUZZ_REGISTER_LIMIT")
    break()
  endif()
endforeach()
