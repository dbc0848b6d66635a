// Whether this binary is built for a fuzzing service, with an engine of the service's own (docs/oss-fuzz.md): its flags, its
// signals and what it prints as it dies belong to the service.
#pragma once

namespace warpfuzz {

#ifdef WARPFUZZ_SERVICE_BUILD
inline constexpr bool kServiceBuild = true;
#else
inline constexpr bool kServiceBuild = false;
#endif

}  // namespace warpfuzz
