// The innermost line of the user's code: what CUDA's and the compiler's headers do is done for the line that calls them.
#include "where.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Support/Path.h>
#include <llvm/TargetParser/Triple.h>

using namespace llvm;

namespace warpfuzz::pass {
namespace {

std::string path_of(const DIFile* file) {
  SmallString<256> path;
  if (!file) return "?";
  if (!sys::path::is_absolute(file->getFilename())) path = file->getDirectory();
  sys::path::append(path, file->getFilename());
  sys::path::remove_dots(path, true);
  return std::string(path);
}

bool of_the_system(StringRef path) {
  return path.starts_with("/usr/") || path.starts_with("/opt/") || path.contains("/lib/clang/") ||
         path.contains("/targets/x86_64-linux/include/") || path.ends_with("/cuda_fp16.hpp") ||
         path.ends_with("/cuda_bf16.hpp");
}

std::string function_name(const DILocation& at, const Function& f) {
  if (const DISubprogram* scope = at.getScope()->getSubprogram()) return scope->getName().str();
  return demangle(f.getName());
}

}  // namespace

Constant* Where::text(const Instruction& i) {
  const DILocation* innermost = i.getDebugLoc().get();
  std::string text = "?: " + demangle(i.getFunction()->getName());
  const DILocation* chosen = innermost;
  for (const DILocation* at = innermost; at; at = at->getInlinedAt()) {
    if (at->getLine() != 0 && !of_the_system(path_of(at->getFile()))) {
      chosen = at;
      break;
    }
  }
  if (chosen)
    text = path_of(chosen->getFile()) + ":" + std::to_string(chosen->getLine()) + ": " +
           function_name(*chosen, *i.getFunction());

  Constant*& address = texts_[text];
  if (!address) {
    LLVMContext& c = m_.getContext();
    Constant* data = ConstantDataArray::getString(c, text);
    const unsigned space = Triple(m_.getTargetTriple()).isNVPTX() ? 1 : 0;
    auto* g = new GlobalVariable(m_, data->getType(), true, GlobalValue::PrivateLinkage, data, "wf_where", nullptr,
                                 GlobalValue::NotThreadLocal, space);
    g->setAlignment(Align(1));
    address = ConstantExpr::getPointerBitCastOrAddrSpaceCast(g, PointerType::getUnqual(c));
  }
  return address;
}

}  // namespace warpfuzz::pass
