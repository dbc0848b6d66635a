// Accesses that may be of global memory, and atomic additions of floating-point numbers.
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include "runtime.h"
#include "sites.h"

using namespace llvm;

namespace warpfuzz::pass {
namespace {

enum AddressSpace : unsigned {
  kGeneric = 0,
  kGlobal = 1,
  kShared = 3,
  kConstant = 4,
  kLocal = 5,
  kCluster = 7,
  kParam = 101
};

bool never_global(unsigned space) {
  return space == kShared || space == kConstant || space == kLocal || space == kCluster || space == kParam;
}

// Everything that the pointer may be based on is a shared, local, constant or parameter object.
bool never_global(const Value* p) {
  if (never_global(p->getType()->getPointerAddressSpace())) return true;
  SmallVector<const Value*, 4> objects;
  getUnderlyingObjects(p, objects);
  return !objects.empty() && all_of(objects, [](const Value* object) {
    if (never_global(object->getType()->getPointerAddressSpace()) || isa<AllocaInst>(object)) return true;
    const auto* argument = dyn_cast<Argument>(object);
    return argument && argument->hasByValAttr();
  });
}

// The one device variable that the pointer is based on.
GlobalVariable* device_variable(Value* p) {
  auto* v = dyn_cast<GlobalVariable>(getUnderlyingObject(p, 0));
  return v && !v->isDeclaration() && v->getValueType()->isSized() ? v : nullptr;
}

// In bounds whatever happens.
bool surely_inside(const Access& a, const DataLayout& layout) {
  if (!a.object) return false;
  APInt offset(64, 0);
  const Value* p = a.at->getOperand(a.operand);
  const Value* base = p->stripAndAccumulateConstantOffsets(layout, offset, true);
  if (base != a.object || offset.isNegative()) return false;
  const std::uint64_t bytes = layout.getTypeAllocSize(a.object->getValueType());
  return offset.ule(bytes) && a.size <= bytes - offset.getZExtValue();
}

// Copies to shared memory, cp.async: the name ends in the number of bytes.
bool async_copy(const IntrinsicInst& call, std::uint64_t& size) {
  StringRef name = call.getCalledFunction()->getName();
  if (!name.consume_front("llvm.nvvm.cp.async.c")) return false;
  const auto at = name.find(".shared.global.");
  return at != StringRef::npos && !name.substr(at + 15).consumeInteger(10, size);
}

bool is_add(const Value* v, unsigned depth = 0) {
  const auto* i = dyn_cast<Instruction>(v);
  if (!i || depth > 8) return false;
  if (i->getOpcode() == Instruction::FAdd || i->getOpcode() == Instruction::FSub) return true;
  if (const auto* call = dyn_cast<IntrinsicInst>(i); call && call->getIntrinsicID() == Intrinsic::fma) return true;
  if (!isa<CastInst>(i) && !isa<BinaryOperator>(i) && !isa<SelectInst>(i) && !isa<PHINode>(i)) return false;
  return any_of(i->operands(), [&](const Use& u) { return is_add(u, depth + 1); });
}

// atom.add.f32, red.global.add.noftz.f16x2 and their like in inline PTX (CUDA's headers have some).
bool adds_floats(const InlineAsm& text) {
  const StringRef s = text.getAsmString();
  for (std::size_t at = 0; (at = s.find(".add.", at)) != StringRef::npos; ++at) {
    const StringRef before = s.take_front(at), after = s.substr(at + 5).take_until([](char c) { return c == ' '; });
    const StringRef word =
        before.substr(before.find_last_of(" \t{;") == StringRef::npos ? 0 : before.find_last_of(" \t{;") + 1);
    if ((word.starts_with("atom") || word.starts_with("red")) &&
        (after.contains("f16") || after.contains("f32") || after.contains("f64"))) {
      return true;
    }
  }
  return false;
}

bool adds_floats(const Instruction& i) {
  if (const auto* rmw = dyn_cast<AtomicRMWInst>(&i)) {
    return rmw->getOperation() == AtomicRMWInst::FAdd || rmw->getOperation() == AtomicRMWInst::FSub;
  }
  // The loop that every CUDA programmer writes where the hardware has no such atomic.
  if (const auto* swap = dyn_cast<AtomicCmpXchgInst>(&i)) return is_add(swap->getNewValOperand());
  const auto* call = dyn_cast<CallBase>(&i);
  if (!call) return false;
  if (const auto* text = dyn_cast<InlineAsm>(call->getCalledOperand())) return adds_floats(*text);
  const Function* callee = call->getCalledFunction();
  return callee && callee->getName().starts_with("llvm.nvvm.atomic.add.gen.f");
}

}  // namespace

std::vector<Access> accesses(Function& f) {
  const DataLayout& layout = f.getDataLayout();
  std::vector<Access> found;
  const auto add = [&](Instruction& at, unsigned operand, std::uint64_t size, cuda::Access kind) {
    Value* p = at.getOperand(operand);
    if (size == 0 || never_global(p)) return;
    Access a{&at, operand, size, static_cast<std::uint32_t>(kind), device_variable(p)};
    if (!surely_inside(a, layout)) found.push_back(a);
  };
  const auto bytes = [&](Type* t) { return layout.getTypeStoreSize(t).getKnownMinValue(); };
  for (Instruction& i : instructions(f)) {
    if (auto* load = dyn_cast<LoadInst>(&i)) {
      add(i, LoadInst::getPointerOperandIndex(), bytes(load->getType()), cuda::Access::read);
    } else if (auto* store = dyn_cast<StoreInst>(&i)) {
      add(i, StoreInst::getPointerOperandIndex(), bytes(store->getValueOperand()->getType()), cuda::Access::write);
    } else if (auto* rmw = dyn_cast<AtomicRMWInst>(&i)) {
      add(i, AtomicRMWInst::getPointerOperandIndex(), bytes(rmw->getType()), cuda::Access::atomic);
    } else if (auto* swap = dyn_cast<AtomicCmpXchgInst>(&i)) {
      add(i, AtomicCmpXchgInst::getPointerOperandIndex(), bytes(swap->getNewValOperand()->getType()),
          cuda::Access::atomic);
    } else if (auto* set = dyn_cast<MemIntrinsic>(&i)) {
      const auto* length = dyn_cast<ConstantInt>(set->getLength());
      if (!length) continue;
      if (isa<MemTransferInst>(set)) add(i, 1, length->getZExtValue(), cuda::Access::read);
      add(i, 0, length->getZExtValue(), cuda::Access::write);
    } else if (auto* call = dyn_cast<IntrinsicInst>(&i)) {
      std::uint64_t size = 0;
      if (async_copy(*call, size)) add(i, 1, size, cuda::Access::read);
    }
  }
  return found;
}

bool has_float_atomics(Module& m) {
  SmallVector<Function*, 16> work;
  SmallPtrSet<Function*, 16> reached;
  const auto reach = [&](Function* f) {
    if (!f->isDeclaration() && reached.insert(f).second) work.push_back(f);
  };
  const bool device = Triple(m.getTargetTriple()).isNVPTX();
  for (Function& f : m) {
    // Functions whose address is taken may be called by anybody.
    if (!is_runtime(f) && (is_kernel(f) || !device || f.hasAddressTaken(nullptr, false, true, true))) reach(&f);
  }
  while (!work.empty()) {
    Function* f = work.pop_back_val();
    for (Instruction& i : instructions(*f)) {
      if (adds_floats(i)) return true;
      if (auto* call = dyn_cast<CallBase>(&i); call && call->getCalledFunction()) reach(call->getCalledFunction());
    }
  }
  return false;
}

}  // namespace warpfuzz::pass
