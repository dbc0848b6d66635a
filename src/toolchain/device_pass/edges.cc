// Edges and compares of a function.
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "sites.h"

using namespace llvm;

namespace warpfuzz::pass {
namespace {

constexpr unsigned kSwitchCases = 16;  // of a switch, as many cases are compares

// Several returns would mean as many copies of the flush, and lanes that flush apart.
void unify_returns(Function& f) {
  SmallVector<ReturnInst*, 8> returns;
  for (BasicBlock& block : f) {
    auto* end = dyn_cast<ReturnInst>(block.getTerminator());
    if (end && !block.getTerminatingMustTailCall()) returns.push_back(end);
  }
  if (returns.size() < 2) return;
  BasicBlock* last = BasicBlock::Create(f.getContext(), "return", &f);
  PHINode* value = nullptr;
  if (!f.getReturnType()->isVoidTy()) value = PHINode::Create(f.getReturnType(), returns.size(), "", last);
  ReturnInst* end = ReturnInst::Create(f.getContext(), value, last);
  end->setDebugLoc(returns.back()->getDebugLoc());
  for (ReturnInst* r : returns) {
    BasicBlock* from = r->getParent();
    if (value) value->addIncoming(r->getReturnValue(), from);
    auto* jump = BranchInst::Create(last, r->getIterator());
    jump->setDebugLoc(r->getDebugLoc());
    r->eraseFromParent();
  }
}

// Depends on the thread's place in its block and on constants alone: such a compare says nothing about the input.
bool thread_only(const Value* v, unsigned depth = 0) {
  if (isa<Constant>(v)) return true;
  const auto* i = dyn_cast<Instruction>(v);
  if (!i || depth > 8) return false;
  if (const auto* call = dyn_cast<IntrinsicInst>(i)) {
    const StringRef name = call->getCalledFunction()->getName();
    return name.starts_with("llvm.nvvm.read.ptx.sreg.tid.") || name.starts_with("llvm.nvvm.read.ptx.sreg.laneid");
  }
  if (!isa<BinaryOperator>(i) && !isa<CastInst>(i) && !isa<SelectInst>(i) && !isa<ICmpInst>(i)) return false;
  return all_of(i->operands(), [&](const Use& u) { return thread_only(u, depth + 1); });
}

bool integer(const Type* t) { return t->isIntegerTy() && t->getIntegerBitWidth() > 1 && t->getIntegerBitWidth() <= 64; }

}  // namespace

void prepare_flow(Function& f, FunctionAnalysisManager& analyses) {
  unify_returns(f);
  SplitAllCriticalEdges(f);
  analyses.invalidate(f, PreservedAnalyses::none());
}

std::vector<BasicBlock*> edge_blocks(Function& f, FunctionAnalysisManager& analyses) {
  const auto& dominators = analyses.getResult<DominatorTreeAnalysis>(f);
  const auto& post_dominators = analyses.getResult<PostDominatorTreeAnalysis>(f);
  std::vector<BasicBlock*> blocks;
  for (BasicBlock& block : f) {
    if (!dominators.isReachableFromEntry(&block) || isa<UnreachableInst>(block.getFirstNonPHIOrDbg())) continue;
    // All ways on start here, so that the successors tell; or all ways here end here, so that the predecessors do.
    const bool told_by_successors = !succ_empty(&block) && all_of(successors(&block), [&](BasicBlock* s) {
      return dominators.dominates(&block, s);
    });
    const bool told_by_predecessors = !block.getSinglePredecessor() && all_of(predecessors(&block), [&](BasicBlock* p) {
      return post_dominators.dominates(&block, p);
    });
    if (&block == &f.getEntryBlock() || (!told_by_successors && !told_by_predecessors)) blocks.push_back(&block);
  }
  return blocks;
}

std::vector<Compare> compares(Function& f, FunctionAnalysisManager& analyses) {
  const auto& loops = analyses.getResult<LoopAnalysis>(f);
  const auto& dominators = analyses.getResult<DominatorTreeAnalysis>(f);
  std::vector<Compare> found;
  const auto add = [&](Instruction& at, Value* a, Value* b, bool is_signed) {
    if (integer(a->getType()) && !(thread_only(a) && thread_only(b))) {
      found.push_back({&at, a, b, is_signed, loops.getLoopDepth(at.getParent())});
    }
  };
  for (BasicBlock& block : f) {
    if (!dominators.isReachableFromEntry(&block)) continue;
    for (Instruction& i : block) {
      if (auto* compare = dyn_cast<ICmpInst>(&i)) {
        add(i, compare->getOperand(0), compare->getOperand(1), compare->isSigned() || compare->isEquality());
      } else if (auto* choice = dyn_cast<SwitchInst>(&i)) {
        unsigned cases = 0;
        for (auto& one : choice->cases()) {
          if (cases++ < kSwitchCases) add(i, choice->getCondition(), one.getCaseValue(), true);
        }
      }
    }
  }
  llvm::stable_sort(found, [](const Compare& x, const Compare& y) { return x.loop_depth > y.loop_depth; });
  return found;
}

}  // namespace warpfuzz::pass
