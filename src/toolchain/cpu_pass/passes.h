// The passes of the plugin, in the order they run in. Marks are made before any optimisation, while each access of the
// source is one instruction with its type's alignment, and turned into checks after everything else (after
// AddressSanitizer and SanitizerCoverage too, so that checks are neither instrumented nor counted as coverage).
#pragma once
#include <llvm/IR/PassManager.h>

namespace warpfuzz::pass {

// Puts __warpfuzz_align_mark(p, align, size, is_store) before each access whose type needs an alignment of 4 or more.
struct MarkAccesses : llvm::PassInfoMixin<MarkAccesses> {
  llvm::PreservedAnalyses run(llvm::Module& m, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

// Takes away marks of local variables: they are aligned, and a mark would keep them out of registers. Runs as soon as
// inlining has shown what a pointer points to.
struct DropLocalMarks : llvm::PassInfoMixin<DropLocalMarks> {
  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager&);
};

// Turns marks into `if (p & (align - 1)) __warpfuzz_misaligned(...)`.
struct LowerMarks : llvm::PassInfoMixin<LowerMarks> {
  llvm::PreservedAnalyses run(llvm::Module& m, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

// With -mllvm -warpfuzz-fcmp: the operands of comparisons of float and double go to __warpfuzz_fcmp32/64.
struct TraceFloatCompares : llvm::PassInfoMixin<TraceFloatCompares> {
  llvm::PreservedAnalyses run(llvm::Module& m, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

// Local variables of fp16 and bf16 that nobody has set are NaN, as those of float are.
struct UnsetHalves : llvm::PassInfoMixin<UnsetHalves> {
  llvm::PreservedAnalyses run(llvm::Module& m, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

// Lists the lines of the user's files beside the coverage counters that say whether they were reached.
struct ListLines : llvm::PassInfoMixin<ListLines> {
  llvm::PreservedAnalyses run(llvm::Module& m, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

inline constexpr char kMark[] = "__warpfuzz_align_mark";

}  // namespace warpfuzz::pass
