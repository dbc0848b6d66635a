// After everything else: marks become checks, comparisons of floating-point numbers report their operands.
#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <map>

#include "passes.h"
#include "places.h"

using namespace llvm;

namespace warpfuzz::pass {
namespace {

cl::opt<bool> trace_fcmp("warpfuzz-fcmp", cl::init(false),
                         cl::desc("report the operands of floating-point comparisons"));

class Lowering {
 public:
  explicit Lowering(Module& m) : m_(m), c_(m.getContext()) {
    Type* i32 = Type::getInt32Ty(c_);
    Type* p = PointerType::getUnqual(c_);
    fail_ = m.getOrInsertFunction("__warpfuzz_misaligned", Type::getVoidTy(c_), p, i32, i32, i32, p, i32);
    auto* f = cast<Function>(fail_.getCallee());
    f->setDoesNotReturn();
    f->setDoesNotThrow();
    f->addFnAttr(Attribute::Cold);
  }

  void lower(CallInst* mark) {
    Value* p = mark->getArgOperand(0);
    const std::uint64_t align = cast<ConstantInt>(mark->getArgOperand(1))->getZExtValue();
    const Value* base = getUnderlyingObject(p);
    if (!isa<AllocaInst>(base) && !isa<GlobalValue>(base)) check(mark, p, align);
    mark->eraseFromParent();
  }

 private:
  void check(CallInst* mark, Value* p, std::uint64_t align) {
    const Place place = places_.report(*mark);
    IRBuilder<> b(mark);
    Type* address = m_.getDataLayout().getIntPtrType(c_);
    Value* low = b.CreateAnd(b.CreatePtrToInt(p, address), ConstantInt::get(address, align - 1));
    Value* bad = b.CreateICmpNE(low, ConstantInt::get(address, 0));
    Instruction* end = SplitBlockAndInsertIfThen(bad, mark, true, MDBuilder(c_).createUnlikelyBranchWeights());
    IRBuilder<> cold(end);
    cold.SetCurrentDebugLocation(mark->getDebugLoc());
    CallInst* call = cold.CreateCall(fail_, {p, mark->getArgOperand(1), mark->getArgOperand(2), mark->getArgOperand(3),
                                             text(place.file), cold.getInt32(place.line)});
    call->setDoesNotReturn();
  }

  Constant* text(const std::string& file) {
    GlobalVariable*& g = files_[file];
    if (!g) {
      Constant* data = ConstantDataArray::getString(c_, file);
      g = new GlobalVariable(m_, data->getType(), true, GlobalValue::PrivateLinkage, data, "warpfuzz.file");
      g->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
      g->setAlignment(Align(1));
    }
    return g;
  }

  Module& m_;
  LLVMContext& c_;
  FunctionCallee fail_;
  Places places_;
  std::map<std::string, GlobalVariable*> files_;
};

}  // namespace

PreservedAnalyses LowerMarks::run(Module& m, ModuleAnalysisManager&) {
  Function* mark = m.getFunction(kMark);
  if (!mark) return PreservedAnalyses::all();
  SmallVector<CallInst*, 0> marks, repeated;
  for (Function& f : m) {
    for (BasicBlock& block : f) {
      DenseMap<Value*, std::uint64_t> checked;  // in this block: the largest alignment of each pointer
      for (Instruction& i : block) {
        auto* call = dyn_cast<CallInst>(&i);
        if (!call || call->getCalledFunction() != mark) continue;
        std::uint64_t& align = checked[call->getArgOperand(0)];
        const std::uint64_t wanted = cast<ConstantInt>(call->getArgOperand(1))->getZExtValue();
        (wanted <= align ? repeated : marks).push_back(call);
        align = std::max(align, wanted);
      }
    }
  }
  Lowering lowering(m);
  for (CallInst* call : repeated) call->eraseFromParent();
  for (CallInst* call : marks) lowering.lower(call);
  if (mark->use_empty()) mark->eraseFromParent();
  return PreservedAnalyses::none();
}

PreservedAnalyses TraceFloatCompares::run(Module& m, ModuleAnalysisManager&) {
  if (!trace_fcmp) return PreservedAnalyses::all();
  Places places;
  SmallVector<FCmpInst*, 0> compares;
  for (Function& f : m) {
    for (Instruction& i : instructions(f)) {
      auto* compare = dyn_cast<FCmpInst>(&i);
      if (!compare) continue;
      Type* t = compare->getOperand(0)->getType();
      if (!t->isFloatTy() && !t->isDoubleTy()) continue;
      // x != x and comparisons of two constants tell nothing.
      if (compare->getOperand(0) == compare->getOperand(1) ||
          (isa<Constant>(compare->getOperand(0)) && isa<Constant>(compare->getOperand(1))))
        continue;
      if (places.owner(i) != Owner::system && places.called_by_user(i)) compares.push_back(compare);
    }
  }
  if (compares.empty()) return PreservedAnalyses::all();
  LLVMContext& c = m.getContext();
  Type *f32 = Type::getFloatTy(c), *f64 = Type::getDoubleTy(c), *none = Type::getVoidTy(c);
  FunctionCallee narrow = m.getOrInsertFunction("__warpfuzz_fcmp32", none, f32, f32);
  FunctionCallee wide = m.getOrInsertFunction("__warpfuzz_fcmp64", none, f64, f64);
  for (FunctionCallee callee : {narrow, wide}) cast<Function>(callee.getCallee())->setDoesNotThrow();
  for (FCmpInst* compare : compares) {
    IRBuilder<> b(compare);
    b.CreateCall(compare->getOperand(0)->getType()->isFloatTy() ? narrow : wide,
                 {compare->getOperand(0), compare->getOperand(1)});
  }
  return PreservedAnalyses::none();
}

}  // namespace warpfuzz::pass
