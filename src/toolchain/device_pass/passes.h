// The pass of the plugin: coverage and bounds checks in device code, after all optimisations, so that what is counted and checked
// is what runs. It looks for the request that warpfuzz_device.h leaves in a module and does nothing without one.
#pragma once
#include <llvm/IR/PassManager.h>

namespace warpfuzz::pass {

struct InstrumentDevice : llvm::PassInfoMixin<InstrumentDevice> {
  llvm::PreservedAnalyses run(llvm::Module& m, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace warpfuzz::pass
