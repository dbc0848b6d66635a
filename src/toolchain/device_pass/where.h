// Texts "file:line: function" in device memory, for reports of accesses.
#pragma once
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Module.h>

#include <map>
#include <string>

namespace warpfuzz::pass {

class Where {
 public:
  explicit Where(llvm::Module& m) : m_(m) {}
  llvm::Constant* text(const llvm::Instruction& i);  // its address as a generic pointer

 private:
  llvm::Module& m_;
  std::map<std::string, llvm::Constant*> texts_;
};

}  // namespace warpfuzz::pass
