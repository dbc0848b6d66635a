// The main of a target's checked and plain builds: they serve a GPU and do nothing else.
#include <string>
#include <vector>

#include "engine/target.h"

int main(int argc, char** argv) {
  const warpfuzz::Target& target = warpfuzz::this_target();
  return warpfuzz::this_backend().serve_device(target.schema(), target.launcher, {argv + 1, argv + argc});
}
