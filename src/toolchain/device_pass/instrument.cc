// Puts the calls of the runtime into the module: plan for all functions, numbers, insertion, inlining, clean-up.
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Vectorize/LoadStoreVectorizer.h>

#include <algorithm>

#include "passes.h"
#include "runtime.h"
#include "sites.h"
#include "where.h"

using namespace llvm;

namespace warpfuzz::pass {
namespace {

struct Plan {
  Function* function;
  std::vector<BasicBlock*> edges;
  std::vector<Compare> compares;
  std::vector<Access> accesses;
  std::uint32_t first_edge = 0, first_compare = 0;
};

constexpr std::uint64_t kScratchBytes = 256;  // wf_poison, wf_sink

class Instrumenter {
 public:
  Instrumenter(Module& m, const Request& request) : m_(m), request_(request), runtime_(m), where_(m) {}

  void number(std::vector<Plan>& plans) {
    for (Plan& p : plans) {
      // A function begins a new word where it would be spread over one more otherwise: each is a register.
      const auto n = static_cast<std::uint32_t>(p.edges.size());
      const std::uint32_t left = (32 - edges_ % 32) % 32;
      if (n > left && 1 + (n - left + 31) / 32 > (n + 31) / 32) edges_ += left;
      p.first_edge = edges_, p.first_compare = compares_;
      edges_ += n, edge_sites_ += n;
      compares_ += static_cast<std::uint32_t>(p.compares.size());
      accesses_ += static_cast<std::uint32_t>(p.accesses.size());
    }
  }

  void instrument(const Plan& p) {
    for (const Access& a : p.accesses) check(a);
    if (p.edges.empty() && p.compares.empty()) return;
    Function& f = *p.function;
    IRBuilder<> entry(&*f.getEntryBlock().getFirstInsertionPt());
    set_location(entry, f);
    unsampled_ = p.compares.empty() ? nullptr : runtime_.call(entry, "wf_unsampled", {});
    edge_bits_.clear(), masks_.clear();
    const std::uint32_t first = p.first_edge / 32,
                        last = p.edges.empty() ? first : (p.first_edge + p.edges.size() - 1) / 32 + 1;
    for (std::uint32_t w = first; w < last && w - first < request_.edge_words; ++w)
      edge_bits_.push_back(variable(entry, entry.getInt32(0)));
    const std::size_t in_registers = std::min<std::size_t>(p.compares.size(), request_.compare_registers);
    for (std::size_t i = 0; i < in_registers; ++i) masks_.push_back(variable(entry, unsampled_));
    local_compares_ += static_cast<std::uint32_t>(in_registers);
    Instruction* after_entry = &*entry.GetInsertPoint();

    SmallVector<ReturnInst*, 4> returns;
    for (BasicBlock& block : f) {
      if (auto* end = dyn_cast<ReturnInst>(block.getTerminator())) returns.push_back(end);
    }
    for (std::size_t i = 0; i < p.compares.size(); ++i)
      compare(p.compares[i], p.first_compare + static_cast<std::uint32_t>(i), i);
    for (std::size_t i = 0; i < p.edges.size(); ++i) {
      BasicBlock* block = p.edges[i];
      IRBuilder<> b(block == &f.getEntryBlock() ? after_entry : &*block->getFirstInsertionPt());
      set_location(b, f);
      edge(b, p.first_edge + static_cast<std::uint32_t>(i), first);
    }
    for (ReturnInst* end : returns) flush(end, p, first);
  }

  std::array<std::uint32_t, cuda::kCountSize> finish() {
    runtime_.inline_calls();
    runtime_.remove_header();
    std::array<std::uint32_t, cuda::kCountSize> counts{};
    counts[cuda::kCountEdges] = edges_, counts[cuda::kCountCompares] = compares_,
    counts[cuda::kCountAccesses] = accesses_;
    counts[cuda::kCountMode] =
        (request_.coverage ? cuda::kModeCoverage : 0) | (request_.checks ? cuda::kModeChecks : 0);
    counts[cuda::kCountEdgeSites] = edge_sites_, counts[cuda::kCountLocalCompares] = local_compares_;
    return counts;
  }

 private:
  // A call that is to be inlined needs a location where its function has one.
  static void set_location(IRBuilder<>& b, const Function& f) {
    if (DISubprogram* scope = f.getSubprogram())
      b.SetCurrentDebugLocation(DILocation::get(f.getContext(), 0, 0, scope));
  }
  static void set_location(IRBuilder<>& b, const Instruction& i) {
    if (i.getDebugLoc()) b.SetCurrentDebugLocation(i.getDebugLoc());
    else set_location(b, *i.getFunction());
  }

  AllocaInst* variable(IRBuilder<>& b, Value* value) {
    AllocaInst* v = b.CreateAlloca(b.getInt32Ty());
    b.CreateStore(value, v);
    return v;
  }

  std::uint32_t edge_word(std::uint32_t word) const { return cuda::edge_offset() + 4 * word; }
  std::uint32_t class_word(std::uint32_t compare) const { return cuda::class_offset(edges_) + 4 * compare; }
  std::uint32_t pairs(std::uint32_t compare) const {
    return cuda::pair_offset(edges_, compares_) +
           compare * cuda::kPairKinds * static_cast<std::uint32_t>(sizeof(cuda::OperandPair));
  }

  void edge(IRBuilder<>& b, std::uint32_t n, std::uint32_t first_word) {
    Value* bit = b.getInt32(1u << n % 32);
    const std::uint32_t word = n / 32 - first_word;
    if (word >= edge_bits_.size()) {
      runtime_.call(b, "wf_edge_memory", {b.getInt32(edge_word(n / 32)), bit});
      return;
    }
    AllocaInst* bits = edge_bits_[word];
    b.CreateStore(b.CreateOr(b.CreateLoad(b.getInt32Ty(), bits), bit), bits);
  }

  void compare(const Compare& c, std::uint32_t n, std::size_t index) {
    IRBuilder<> b(c.at);
    set_location(b, *c.at);
    const bool wide = c.a->getType()->getIntegerBitWidth() > 32;
    Type* type = wide ? b.getInt64Ty() : b.getInt32Ty();
    Value* x = b.CreateIntCast(c.a, type, c.is_signed);
    Value* y = b.CreateIntCast(c.b, type, c.is_signed);
    if (index < masks_.size()) {
      AllocaInst* mask = masks_[index];
      Value* seen = b.CreateLoad(b.getInt32Ty(), mask);
      b.CreateStore(runtime_.call(b, wide ? "wf_compare64" : "wf_compare32", {seen, x, y, b.getInt32(pairs(n))}), mask);
    } else {
      runtime_.call(b, wide ? "wf_compare64_memory" : "wf_compare32_memory",
                    {unsampled_, x, y, b.getInt32(class_word(n)), b.getInt32(pairs(n))});
    }
  }

  // Merges the function's words into the state block. What all threads do is to look for news: loads, and one vote of the warp.
  void flush(ReturnInst* end, const Plan& p, std::uint32_t first_word) {
    Instruction* at = end;
    if (CallInst* tail = end->getParent()->getTerminatingMustTailCall()) at = tail;
    SmallVector<std::uint32_t, 8> edges, classes;
    for (std::uint32_t i = 0; i < edge_bits_.size(); ++i) edges.push_back(edge_word(first_word + i));
    for (std::uint32_t i = 0; i < masks_.size(); ++i) classes.push_back(class_word(p.first_compare + i));

    IRBuilder<> b(at);
    set_location(b, *at);
    Value* lanes = runtime_.call(b, "wf_lanes", {});
    Value* news = find_news(b, edge_bits_, edges);
    Value* sampled = masks_.empty() ? nullptr : b.CreateIsNull(unsampled_);
    if (sampled) {
      BasicBlock* before = b.GetInsertBlock();
      Instruction* then =
          SplitBlockAndInsertIfThen(sampled, at->getIterator(), false);  // the same for a whole block of threads
      IRBuilder<> c(then);
      set_location(c, *at);
      Value* more = c.CreateOr(news, find_news(c, masks_, classes));
      b.SetInsertPoint(at->getParent(), at->getParent()->begin());
      PHINode* either = b.CreatePHI(b.getInt32Ty(), 2);
      either->addIncoming(news, before);
      either->addIncoming(more, then->getParent());
      news = either;
      b.SetInsertPoint(at);
    }
    Value* any = b.CreateIsNotNull(runtime_.call(b, "wf_any", {news, lanes}));
    Instruction* then = SplitBlockAndInsertIfThen(any, at->getIterator(), false,
                                                  MDBuilder(m_.getContext()).createUnlikelyBranchWeights());
    IRBuilder<> c(then);
    set_location(c, *at);
    Value* elected = runtime_.call(c, "wf_elected", {lanes});
    merge(c, edge_bits_, edges, lanes, elected);
    if (!sampled) return;
    IRBuilder<> d(SplitBlockAndInsertIfThen(sampled, then->getIterator(), false));
    set_location(d, *at);
    merge(d, masks_, classes, lanes, elected);
  }

  Value* find_news(IRBuilder<>& b, ArrayRef<AllocaInst*> variables, ArrayRef<std::uint32_t> words) {
    const SmallVector<Value*, 32> seen = load_words(b, words);
    Value* news = b.getInt32(0);
    for (std::size_t i = 0; i < variables.size(); ++i) {
      news = b.CreateOr(news, b.CreateAnd(b.CreateLoad(b.getInt32Ty(), variables[i]), b.CreateNot(seen[i])));
    }
    return news;
  }
  // All loads first, so that only one latency is waited for; neighbours as vectors, which only the block's alignment allows.
  SmallVector<Value*, 32> load_words(IRBuilder<>& b, ArrayRef<std::uint32_t> words) {
    SmallVector<Value*, 32> values;
    if (words.empty()) return values;
    Value* block = runtime_.call(b, "wf_address", {b.getInt32(0)});
    for (std::size_t i = 0; i < words.size();) {
      unsigned n = 4;
      while (n > 1 && (words[i] % (4 * n) != 0 || i + n > words.size() || words[i + n - 1] != words[i] + 4 * (n - 1)))
        n /= 2;
      Type* type = n == 1 ? static_cast<Type*>(b.getInt32Ty()) : FixedVectorType::get(b.getInt32Ty(), n);
      Value* loaded = b.CreateAlignedLoad(type, b.CreateConstGEP1_64(b.getInt8Ty(), block, words[i]), Align(4 * n));
      for (unsigned k = 0; k < n; ++k) values.push_back(n == 1 ? loaded : b.CreateExtractElement(loaded, k));
      i += n;
    }
    return values;
  }
  void merge(IRBuilder<>& b, ArrayRef<AllocaInst*> variables, ArrayRef<std::uint32_t> words, Value* lanes,
             Value* elected) {
    for (std::size_t i = 0; i < variables.size(); ++i) {
      runtime_.call(b, "wf_merge", {b.CreateLoad(b.getInt32Ty(), variables[i]), b.getInt32(words[i]), lanes, elected});
    }
  }

  void check(const Access& a) {
    IRBuilder<> b(a.at);
    set_location(b, *a.at);
    Value* p = a.at->getOperand(a.operand);
    Value* generic = b.CreateAddrSpaceCast(p, b.getPtrTy());
    Value* size = b.getInt32(static_cast<std::uint32_t>(a.size));
    Value *kind = b.getInt32(a.kind), *where = where_.text(*a.at);
    Value* use;
    if (a.object) {
      const std::uint64_t bytes = m_.getDataLayout().getTypeAllocSize(a.object->getValueType());
      use =
          runtime_.call(b, "wf_check_object",
                        {generic, b.CreateAddrSpaceCast(a.object, b.getPtrTy()), b.getInt64(bytes), size, kind, where});
    } else {
      use = runtime_.call(b, "wf_check", {generic, size, kind, where});
    }
    if (a.size > kScratchBytes) return;  // recorded; there is nothing that could stand in
    a.at->setOperand(a.operand, b.CreateAddrSpaceCast(use, p->getType()));
    // The poison keeps no promise about values.
    for (unsigned promise :
         {LLVMContext::MD_range, LLVMContext::MD_nonnull, LLVMContext::MD_noundef, LLVMContext::MD_align,
          LLVMContext::MD_dereferenceable, LLVMContext::MD_dereferenceable_or_null}) {
      a.at->setMetadata(promise, nullptr);
    }
  }

  Module& m_;
  const Request& request_;
  Runtime runtime_;
  Where where_;
  std::uint32_t edges_ = 0, edge_sites_ = 0, compares_ = 0, local_compares_ = 0, accesses_ = 0;
  Value* unsampled_ = nullptr;
  SmallVector<AllocaInst*, 8> edge_bits_;
  SmallVector<AllocaInst*, 32> masks_;
};

// It now writes memory and has operations of a whole warp, which optimisations before this may have proved absent.
void drop_promises(Function& f) {
  f.setMemoryEffects(MemoryEffects::unknown());
  f.removeFnAttr(Attribute::Speculatable);
  f.removeFnAttr(Attribute::NoSync);
  f.addFnAttr(Attribute::Convergent);
  for (User* user : f.users()) {
    auto* call = dyn_cast<CallBase>(user);
    if (!call) continue;
    call->setMemoryEffects(MemoryEffects::unknown());
    call->removeFnAttr(Attribute::NoSync);
  }
}

// Mathematics that comes with the compiler is nobody's kernel.
bool of_the_user(const Function& f) {
  return !f.isDeclaration() && !is_runtime(f) && !f.getName().starts_with("__nv_") &&
         !f.getName().starts_with("__internal_");
}

}  // namespace

PreservedAnalyses InstrumentDevice::run(Module& m, ModuleAnalysisManager& modules) {
  const std::optional<Request> request = read_request(m);
  if (!request) return PreservedAnalyses::all();
  FunctionAnalysisManager& analyses = modules.getResult<FunctionAnalysisManagerModuleProxy>(m).getManager();
  const bool float_atomics = has_float_atomics(m);
  if (request->checks) {
    // A float4's four loads become the one access that they are in the source and in the machine.
    FunctionPassManager join;
    join.addPass(LoadStoreVectorizerPass());
    for (Function& f : m) {
      if (of_the_user(f)) analyses.invalidate(f, join.run(f, analyses));
    }
  }

  std::vector<Plan> plans;
  for (Function& f : m) {
    if (!of_the_user(f)) continue;
    Plan p{&f, {}, {}, {}};
    if (request->checks) p.accesses = accesses(f);
    if (request->coverage) {
      prepare_flow(f, analyses);
      p.edges = edge_blocks(f, analyses);
    }
    if (request->compares) p.compares = compares(f, analyses);
    plans.push_back(std::move(p));
  }
  Instrumenter instrumenter(m, *request);
  instrumenter.number(plans);
  for (const Plan& p : plans) instrumenter.instrument(p);
  auto counts = instrumenter.finish();
  counts[cuda::kCountFloatAtomics] = float_atomics;
  set_counts(*request, counts);

  for (const Plan& p : plans) {
    drop_promises(*p.function);
    // A launch of 1,024 threads fails where a thread has more registers than this; the plain kernel may have fewer.
    if (request->register_limit != 0 && is_kernel(*p.function) && !p.function->hasFnAttribute("nvvm.maxntid") &&
        !p.function->hasFnAttribute("nvvm.maxnreg")) {
      p.function->addFnAttr("nvvm.maxnreg", std::to_string(request->register_limit));
    }
    analyses.invalidate(*p.function, PreservedAnalyses::none());
  }
  FunctionPassManager tidy;
  tidy.addPass(SROAPass(SROAOptions::ModifyCFG));
  tidy.addPass(EarlyCSEPass());
  tidy.addPass(InstCombinePass());
  tidy.addPass(SimplifyCFGPass());
  for (const Plan& p : plans) analyses.invalidate(*p.function, tidy.run(*p.function, analyses));
  if (verifyModule(m, &errs())) report_fatal_error("warpfuzz: the instrumented module is broken", false);
  return PreservedAnalyses::none();
}

}  // namespace warpfuzz::pass
