// Whose code an instruction is, by the file of its debug location.
#pragma once
#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instruction.h>

#include <string>
#include <vector>

namespace warpfuzz::pass {

// user: the kernel under test and its target. surface: what CUDA gives a kernel (our headers, NVIDIA's): an access
// there is made for the user's code. system: the C++ library and the rest of WarpFuzz.
enum class Owner { user, surface, system };

struct Place {
  std::string file;
  unsigned line = 0;
};

class Places {
 public:
  Owner owner(const llvm::Instruction& i);  // of the innermost location, before or after inlining
  // The innermost location in the user's files, following what it was inlined into; the innermost of all where none is.
  Place report(const llvm::Instruction& i);
  // Every level of inlining that is the user's: the lines that an instruction is executed for.
  std::vector<Place> user_lines(const llvm::Instruction& i);
  bool called_by_user(const llvm::Instruction& i);  // some level of inlining is the user's

 private:
  struct File {
    std::string path;
    Owner owner;
  };
  const File& file(const llvm::DIFile* f);
  llvm::DenseMap<const llvm::DIFile*, File> files_;
};

}  // namespace warpfuzz::pass
