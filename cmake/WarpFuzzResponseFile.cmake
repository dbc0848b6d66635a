# warpfuzz_response_file_(<clang or nvcc> <file> <argument>...): the arguments in a file that the compiler reads as part of its command line,
# one a line. Of a failed command the whole line is printed, and this way it is short.
#
# Each argument is quoted, whatever is in it: what a generator expression stands for, say a path with a space, is not known yet. nvcc hands
# its arguments on to a shell between double quotes, so a quote in one needs a second backslash there.
function(warpfuzz_response_file_ compiler file)
  set(lines "")
  set(quote "\\\\\"")
  if(compiler STREQUAL "nvcc")
    set(quote "\\\\\\\\\\\\\"")
  endif()
  foreach(argument IN LISTS ARGN)
    if(compiler STREQUAL "clang")
      string(REPLACE "\\" "\\\\" argument "${argument}")
    endif()
    string(REGEX REPLACE "\"" "${quote}" argument "${argument}")
    string(APPEND lines "\"${argument}\"\n")
  endforeach()
  file(GENERATE OUTPUT "${file}" CONTENT "${lines}")
endfunction()
