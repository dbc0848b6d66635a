// The plugin: clang++ -x cuda -fpass-plugin=THIS -include warpfuzz_device.h. It must be built against the LLVM of the compiler
// that loads it.
#include <llvm/Config/llvm-config.h>
#include <llvm/Passes/PassBuilder.h>
#if __has_include(<llvm/Plugins/PassPlugin.h>)
#include <llvm/Plugins/PassPlugin.h>
#else
#include <llvm/Passes/PassPlugin.h>
#endif

#include "passes.h"

namespace {
void add_pass(llvm::PassBuilder& builder) {
  // The parameters differ between versions of LLVM.
  builder.registerOptimizerLastEPCallback(
      [](llvm::ModulePassManager& m, auto&&...) { m.addPass(warpfuzz::pass::InstrumentDevice()); });
}
}  // namespace

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "WarpFuzzDevice", "1", add_pass};
}
