// The module's side of the contract: the request that the device header leaves, its variables, its functions.
#pragma once
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <array>
#include <optional>

#include "exec/cuda/state_block.h"

namespace warpfuzz::pass {

struct Request {
  llvm::GlobalVariable* counts = nullptr;
  unsigned compare_registers = 0, edge_words = 0, register_limit = 0;
  bool coverage = false, compares = false, checks = false;
};
// None where the module has no request, or is host code; an error of the compiler where header and pass don't fit.
std::optional<Request> read_request(llvm::Module& m);

bool is_runtime(const llvm::GlobalValue& v);  // of the header, and not to be instrumented
bool is_kernel(const llvm::Function& f);

// Calls of the header's functions. They are inlined at the end, all at once, so that the code that is instrumented stays as it
// was while sites are looked for.
class Runtime {
 public:
  explicit Runtime(llvm::Module& m);
  llvm::Value* call(llvm::IRBuilder<>& b, llvm::StringRef function, llvm::ArrayRef<llvm::Value*> arguments);
  void inline_calls();
  void remove_header();  // what nothing uses any more

 private:
  llvm::Module& m_;
  llvm::StringMap<llvm::Function*> functions_;
  llvm::SmallVector<llvm::CallInst*, 0> calls_;
};

void set_counts(const Request& request, const std::array<std::uint32_t, cuda::kCountSize>& counts);

}  // namespace warpfuzz::pass
