// What a local variable of a 16-bit floating type holds before anybody sets it. clang's pattern for one is that of the integer
// which CUDA's headers build it of, 0xAAAA: -0.05 as fp16 and -3e-13 as bf16, which a sum hides.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "passes.h"

using namespace llvm;

namespace warpfuzz::pass {
namespace {

// __half, __half2, __nv_bfloat16, __nv_bfloat162, and arrays and structures of nothing else.
bool is_half(const Type* t) {
  if (const auto* array = dyn_cast<ArrayType>(t)) return is_half(array->getElementType());
  const auto* s = dyn_cast<StructType>(t);
  if (!s || s->isOpaque() || s->getNumElements() == 0) return false;
  if (s->hasName() && (s->getName().starts_with("struct.__half") || s->getName().starts_with("struct.__nv_bfloat16")))
    return true;
  return all_of(s->elements(), is_half);
}

bool sets_unset_variable(const Instruction& i) {
  const MDNode* notes = i.getMetadata(LLVMContext::MD_annotation);
  return notes && any_of(notes->operands(), [](const MDOperand& note) {
           const auto* text = dyn_cast<MDString>(note.get());
           return text && text->getString() == "auto-init";
         });
}

bool of_half(const Value* pointer) {
  const auto* variable = dyn_cast<AllocaInst>(getUnderlyingObject(pointer));
  return variable && is_half(variable->getAllocatedType());
}

}  // namespace

PreservedAnalyses UnsetHalves::run(Module& m, ModuleAnalysisManager&) {
  SmallVector<MemCpyInst*, 8> copies;
  bool changed = false;
  for (Function& f : m) {
    for (Instruction& i : instructions(f)) {
      if (!sets_unset_variable(i)) continue;
      if (auto* store = dyn_cast<StoreInst>(&i); store && of_half(store->getPointerOperand())) {
        store->setOperand(0, Constant::getAllOnesValue(store->getValueOperand()->getType()));
        changed = true;
      } else if (auto* set = dyn_cast<MemSetInst>(&i); set && of_half(set->getDest())) {
        set->setValue(Constant::getAllOnesValue(set->getValue()->getType()));
        changed = true;
      } else if (auto* copy = dyn_cast<MemCpyInst>(&i); copy && of_half(copy->getDest())) {
        copies.push_back(copy);
      }
    }
  }
  for (MemCpyInst* copy : copies) {
    IRBuilder<> b(copy);
    b.CreateMemSet(copy->getDest(), b.getInt8(0xff), copy->getLength(), copy->getDestAlign());
    copy->eraseFromParent();
  }
  return changed || !copies.empty() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace warpfuzz::pass
