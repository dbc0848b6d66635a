// Marks before optimisation, and taking away those that inlining proves needless.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ModRef.h>

#include "passes.h"
#include "places.h"

using namespace llvm;

namespace warpfuzz::pass {
namespace {

cl::opt<unsigned> smallest("warpfuzz-align-from", cl::init(4), cl::desc("smallest alignment that is checked"));

struct Access {
  Instruction* at;
  Value* pointer;
  Align align;
  std::uint64_t size;
  bool store;
};

bool local_or_global(const Value* p) {
  const Value* base = getUnderlyingObject(p);
  return isa<AllocaInst>(base) || isa<GlobalValue>(base);
}

void collect(Instruction& i, const DataLayout& layout, SmallVectorImpl<Access>& out) {
  const auto add = [&](Value* p, MaybeAlign a, std::uint64_t size, bool store) {
    if (a && a->value() >= smallest && p->getType()->getPointerAddressSpace() == 0 && !local_or_global(p)) {
      out.push_back({&i, p, *a, size, store});
    }
  };
  const auto bytes = [&](Type* t) { return layout.getTypeStoreSize(t).getKnownMinValue(); };
  if (auto* load = dyn_cast<LoadInst>(&i)) {
    add(load->getPointerOperand(), load->getAlign(), bytes(load->getType()), false);
  } else if (auto* store = dyn_cast<StoreInst>(&i)) {
    add(store->getPointerOperand(), store->getAlign(), bytes(store->getValueOperand()->getType()), true);
  } else if (auto* rmw = dyn_cast<AtomicRMWInst>(&i)) {
    add(rmw->getPointerOperand(), rmw->getAlign(), bytes(rmw->getType()), true);
  } else if (auto* swap = dyn_cast<AtomicCmpXchgInst>(&i)) {
    add(swap->getPointerOperand(), swap->getAlign(), bytes(swap->getNewValOperand()->getType()), true);
  } else if (auto* set = dyn_cast<MemIntrinsic>(&i)) {
    const auto* length = dyn_cast<ConstantInt>(set->getLength());
    if (!length || length->isZero()) return;  // an aggregate's copy has a constant size
    if (auto* copy = dyn_cast<MemTransferInst>(set))
      add(copy->getRawSource(), copy->getSourceAlign(), length->getZExtValue(), false);
    add(set->getRawDest(), set->getDestAlign(), length->getZExtValue(), true);
  }
}

// Types of CUDA whose copy is a function (__half2): the access is the user's where the call is.
void collect_call(CallBase& call, Places& places, SmallVectorImpl<Access>& out) {
  const Function* callee = call.getCalledFunction();
  if (!callee || callee->isDeclaration() || callee->empty() || places.owner(callee->front().front()) != Owner::surface)
    return;
  const StringRef name = callee->getName();
  const bool assigns = name.contains("C1E") || name.contains("C2E") || name.contains("aSE");  // constructor, operator=
  for (unsigned n = 0; n < call.arg_size(); ++n) {
    const MaybeAlign align = call.getParamAlign(n);
    Value* p = call.getArgOperand(n);
    if (!align || align->value() < smallest || !p->getType()->isPointerTy() || local_or_global(p)) continue;
    out.push_back({&call, p, *align, call.getParamDereferenceableBytes(n), assigns && n == 0});
  }
}

FunctionCallee mark_function(Module& m) {
  LLVMContext& c = m.getContext();
  Type* i32 = Type::getInt32Ty(c);
  FunctionCallee callee = m.getOrInsertFunction(kMark, Type::getVoidTy(c), PointerType::getUnqual(c), i32, i32, i32);
  auto* f = cast<Function>(callee.getCallee());
  // May not return, so that no access is moved before it; touches nothing that the program can see.
  f->setDoesNotThrow();
  f->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
#if LLVM_VERSION_MAJOR >= 21
  f->addParamAttr(0, Attribute::getWithCaptureInfo(c, CaptureInfo::none()));
#else
  f->addParamAttr(0, Attribute::NoCapture);
#endif
  f->addParamAttr(0, Attribute::ReadNone);
  return callee;
}

}  // namespace

PreservedAnalyses MarkAccesses::run(Module& m, ModuleAnalysisManager&) {
  Places places;
  SmallVector<Access, 0> accesses;
  for (Function& f : m) {
    if (f.isDeclaration()) continue;
    for (Instruction& i : instructions(f)) {
      if (!i.mayReadOrWriteMemory()) continue;
      const Owner owner = places.owner(i);
      if (owner != Owner::system) collect(i, m.getDataLayout(), accesses);
      const bool for_user = owner == Owner::user || (owner == Owner::surface && !f.getSubprogram());
      if (for_user && isa<CallBase>(i)) collect_call(cast<CallBase>(i), places, accesses);
    }
  }
  // A reference parameter promises an alignment that nothing has checked yet.
  for (Function& f : m) {
    for (Argument& a : f.args()) a.removeAttr(Attribute::Alignment);
    for (Instruction& i : instructions(f)) {
      if (auto* call = dyn_cast<CallBase>(&i); call && !isa<IntrinsicInst>(call)) {
        for (unsigned n = 0; n < call->arg_size(); ++n) call->removeParamAttr(n, Attribute::Alignment);
      }
    }
  }
  if (accesses.empty()) return PreservedAnalyses::all();
  const FunctionCallee mark = mark_function(m);
  for (const Access& a : accesses) {
    IRBuilder<> b(a.at);
    b.CreateCall(mark, {a.pointer, b.getInt32(static_cast<std::uint32_t>(a.align.value())),
                        b.getInt32(static_cast<std::uint32_t>(a.size)), b.getInt32(a.store)});
  }
  return PreservedAnalyses::none();
}

PreservedAnalyses DropLocalMarks::run(Function& f, FunctionAnalysisManager&) {
  const Function* mark = f.getParent()->getFunction(kMark);
  if (!mark) return PreservedAnalyses::all();
  SmallVector<Instruction*, 16> needless;
  for (Instruction& i : instructions(f)) {
    auto* call = dyn_cast<CallInst>(&i);
    if (call && call->getCalledFunction() == mark && local_or_global(call->getArgOperand(0))) needless.push_back(call);
  }
  for (Instruction* i : needless) i->eraseFromParent();
  if (needless.empty()) return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

}  // namespace warpfuzz::pass
