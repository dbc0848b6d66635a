// The source of a library that exists for its precompiled headers (WarpFuzzLibrary.cmake).
