// The plugin: clang++ -fpass-plugin=THIS -Xclang -load -Xclang THIS [-mllvm -warpfuzz-...]. It must be built against the
// LLVM of the compiler that loads it.
#include <llvm/Config/llvm-config.h>
#include <llvm/Passes/PassBuilder.h>
#if __has_include(<llvm/Plugins/PassPlugin.h>)
#include <llvm/Plugins/PassPlugin.h>
#else
#include <llvm/Passes/PassPlugin.h>
#endif

#include "passes.h"

static_assert(LLVM_VERSION_MAJOR >= 19, "LLVM 19 or newer is needed");

namespace {

void add_passes(llvm::PassBuilder& builder) {
  builder.registerPipelineStartEPCallback([&builder](llvm::ModulePassManager& m, llvm::OptimizationLevel) {
    m.addPass(warpfuzz::pass::UnsetHalves());
    m.addPass(warpfuzz::pass::MarkAccesses());
    // Registered only now, while the pipeline is being built: after the sanitizers, which clang registers after plugins.
    // The parameters differ between versions of LLVM.
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& last, auto&&...) {
      last.addPass(warpfuzz::pass::ListLines());  // first: the others add blocks
      last.addPass(warpfuzz::pass::TraceFloatCompares());
      last.addPass(warpfuzz::pass::LowerMarks());
    });
  });
  builder.registerPeepholeEPCallback(
      [](llvm::FunctionPassManager& f, llvm::OptimizationLevel) { f.addPass(warpfuzz::pass::DropLocalMarks()); });
}

}  // namespace

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "WarpFuzz", "1", add_passes};
}
