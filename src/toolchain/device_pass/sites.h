// Where a function is instrumented: chosen before anything is inserted.
#pragma once
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

#include <vector>

namespace warpfuzz::pass {

struct Compare {
  llvm::Instruction* at;  // the operands are recorded before it
  llvm::Value *a, *b;
  bool is_signed;
  unsigned loop_depth;
};

// One access of memory that may be global.
struct Access {
  llvm::Instruction* at;
  unsigned operand;  // the pointer's
  std::uint64_t size;
  std::uint32_t kind;                      // cuda::Access
  llvm::GlobalVariable* object = nullptr;  // the device variable it belongs to, where that is known
};

// Gives every edge a block of its own and the function one return, so that sites can be blocks.
void prepare_flow(llvm::Function& f, llvm::FunctionAnalysisManager& analyses);
// Blocks that tell all edges: those whose execution follows from others' are left out.
std::vector<llvm::BasicBlock*> edge_blocks(llvm::Function& f, llvm::FunctionAnalysisManager& analyses);
// Those in the innermost loops first.
std::vector<Compare> compares(llvm::Function& f, llvm::FunctionAnalysisManager& analyses);
std::vector<Access> accesses(llvm::Function& f);
// Whether a kernel adds floating-point numbers atomically.
bool has_float_atomics(llvm::Module& m);

}  // namespace warpfuzz::pass
