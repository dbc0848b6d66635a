// Which counters of SanitizerCoverage say that a line of the user's files was reached: a table in the object, in the section
// "warpfuzz_lines" (pipeline/line_table.h). It costs a running kernel nothing. Made right behind SanitizerCoverage, while the block of a
// counter is still the one that it counts.
#include <llvm/ADT/BitVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "passes.h"
#include "places.h"

using namespace llvm;

namespace warpfuzz::pass {
namespace {

// Of one block, its counter: the place in the function's array that it adds to.
struct Counter {
  GlobalVariable* array = nullptr;
  std::uint64_t at = 0;
};

Counter counter_of(const BasicBlock& block, const DataLayout& layout) {
  for (const Instruction& i : block) {
    const auto* store = dyn_cast<StoreInst>(&i);
    if (!store) continue;
    APInt offset(layout.getPointerSizeInBits(), 0);
    const Value* base =
        store->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
    const auto* array = dyn_cast<GlobalVariable>(base);
    if (array && array->getSection() == "__sancov_cntrs")
      return {const_cast<GlobalVariable*>(array), offset.getZExtValue()};
  }
  return {};
}

// For each block the next one that every way on passes, whatever happens; none at the ends. Not LLVM's tree of it: what ends the
// process (AddressSanitizer's reports) is no way on here.
class NextForAll {
 public:
  NextForAll(Function& f, const std::map<const BasicBlock*, Counter>& counters) {
    for (const BasicBlock& b : f)
      if (!isa<UnreachableInst>(b.getTerminator()) || counters.contains(&b)) {
        number_[&b] = static_cast<unsigned>(blocks_.size());
        blocks_.push_back(&b);
      }
    find_all();
    std::vector<unsigned> counts;
    for (const BitVector& passed : passed_) counts.push_back(passed.count());
    for (unsigned b = 0; b < blocks_.size(); ++b)
      for (const unsigned i : passed_[b].set_bits())  // of those that it passes, the one that passes all others
        if (counts[i] + 1 == counts[b]) next_[blocks_[b]] = blocks_[i];
    passed_.clear();
  }

  const BasicBlock* of(const BasicBlock* b) const {
    const auto known = next_.find(b);
    return known == next_.end() ? nullptr : known->second;
  }

 private:
  std::vector<unsigned> ways_on(unsigned n) const {
    std::vector<unsigned> ways;
    for (const BasicBlock* next : successors(blocks_[n]))
      if (const auto known = number_.find(next); known != number_.end()) ways.push_back(known->second);
    return ways;
  }

  // Blocks from which no end can be reached pass nothing for certain.
  BitVector that_end() const {
    const auto n = static_cast<unsigned>(blocks_.size());
    BitVector ends(n);
    for (bool more = true; more;) {
      more = false;
      for (unsigned i = 0; i < n; ++i) {
        const std::vector<unsigned> ways = ways_on(i);
        if (ends[i] || !(ways.empty() || any_of(ways, [&](unsigned w) { return ends[w]; }))) continue;
        ends.set(i);
        more = true;
      }
    }
    return ends;
  }

  void find_all() {
    const auto n = static_cast<unsigned>(blocks_.size());
    const BitVector ends = that_end();
    passed_.assign(n, BitVector(n, true));
    for (unsigned i = 0; i < n; ++i)
      if (!ends[i]) passed_[i].reset();
    for (bool more = true; more;) {
      more = false;
      for (unsigned i = n; i-- > 0;) {
        BitVector now(n, ends[i]);
        const std::vector<unsigned> ways = ways_on(i);
        if (ways.empty()) now.reset();
        for (const unsigned w : ways) now &= passed_[w];
        now.set(i);
        more |= now != passed_[i];
        passed_[i] = std::move(now);
      }
    }
  }

  std::vector<const BasicBlock*> blocks_;
  std::map<const BasicBlock*, unsigned> number_;
  std::map<const BasicBlock*, const BasicBlock*> next_;
  std::vector<BitVector> passed_;  // by block: those that every way from it to an end passes, itself among them
};

// Blocks whose counters say that a block was reached. SanitizerCoverage leaves out those whose neighbours tell.
class Reach {
 public:
  Reach(Function& f, const DataLayout& layout) : tree_(f) {
    for (BasicBlock& b : f)
      if (const Counter c = counter_of(b, layout); c.array) counters_[&b] = c, told_by_[&b].insert(&b);
    if (!any()) return;
    const NextForAll next(f, counters_);
    while (spread(f, next)) {}
  }

  bool any() const { return !counters_.empty(); }
  const Counter& counter(const BasicBlock* b) const { return counters_.at(b); }
  // The few of them that say it alone: where another one dominates a block, that one has counted too.
  std::vector<const BasicBlock*> tellers(const BasicBlock& b) const {
    std::vector<const BasicBlock*> few;
    const auto known = told_by_.find(&b);
    if (known == told_by_.end()) return few;
    for (const BasicBlock* teller : known->second)
      if (none_of(known->second,
                  [&](const BasicBlock* other) { return other != teller && tree_.dominates(other, teller); }))
        few.push_back(teller);
    return few;
  }

 private:
  // A block that has no counter learns from those that it dominates, and from those whose every way on passes it.
  bool learn(const BasicBlock* b, const BasicBlock* from) {
    if (!b || b == from || counters_.contains(b)) return false;
    const std::set<const BasicBlock*> news = told_by_[from];
    std::set<const BasicBlock*>& known = told_by_[b];
    const std::size_t before = known.size();
    known.insert(news.begin(), news.end());
    return known.size() != before;
  }
  bool spread(Function& f, const NextForAll& next) {
    bool more = false;
    for (const BasicBlock& b : f) {
      if (!tree_.isReachableFromEntry(&b)) continue;
      more |= learn(next.of(&b), &b);
      if (const auto* above = tree_.getNode(&b)->getIDom()) more |= learn(above->getBlock(), &b);
    }
    return more;
  }

  DominatorTree tree_;
  std::map<const BasicBlock*, Counter> counters_;
  std::map<const BasicBlock*, std::set<const BasicBlock*>> told_by_;
};

// Of the function's way in and out, which its copies inlined elsewhere do not have: sanitizers' code, which has no column, and
// what goes with the return.
bool frames(const Instruction& i, const std::set<const DILocation*>& returns) {
  const DILocation* at = i.getDebugLoc().get();
  return !at || at->getColumn() == 0 || returns.contains(at);
}

std::set<const DILocation*> returns_of(const Function& f) {
  std::set<const DILocation*> places;
  for (const BasicBlock& b : f)
    if (isa<ReturnInst>(b.getTerminator())) places.insert(b.getTerminator()->getDebugLoc().get());
  return places;
}

class Table {
 public:
  explicit Table(Module& m) : module_(m) {}

  bool add(Function& f) {
    const Reach reach(f, module_.getDataLayout());
    if (!reach.any()) return false;
    std::set<std::tuple<std::string, unsigned, std::uint64_t>> lines;  // with the counter that tells it
    const std::set<const DILocation*> returns = returns_of(f);
    GlobalVariable* array = nullptr;
    for (BasicBlock& b : f) {
      std::set<std::pair<std::string, unsigned>> here;
      for (const Instruction& i : b) {
        if (i.hasMetadata(LLVMContext::MD_nosanitize) || frames(i, returns)) continue;
        for (const Place& p : places_.user_lines(i)) here.insert({p.file, p.line});
      }
      if (here.empty()) continue;
      for (const BasicBlock* teller : reach.tellers(b)) {
        array = reach.counter(teller).array;
        for (const auto& [file, line] : here) lines.insert({file, line, reach.counter(teller).at});
      }
    }
    if (!lines.empty()) write(f, array, lines);
    return !lines.empty();
  }

 private:
  Constant* path(const std::string& file) {
    Constant*& known = paths_[file];
    if (known) return known;
    Constant* text = ConstantDataArray::getString(module_.getContext(), file);
    auto* v = new GlobalVariable(module_, text->getType(), true, GlobalValue::PrivateLinkage, text, "warpfuzz_file");
    v->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    return known = v;
  }

  // Goes where the function's counters go: the linker drops both with a copy of an inline function.
  void write(Function& f, GlobalVariable* array,
             const std::set<std::tuple<std::string, unsigned, std::uint64_t>>& lines) {
    LLVMContext& c = module_.getContext();
    Type *pointer = PointerType::getUnqual(c), *i64 = Type::getInt64Ty(c), *i8 = Type::getInt8Ty(c);
    StructType* record = StructType::get(pointer, pointer, i64);
    std::vector<Constant*> records;
    for (const auto& [file, line, at] : lines)
      records.push_back(
          ConstantStruct::get(record, ConstantExpr::getInBoundsGetElementPtr(i8, array, ConstantInt::get(i64, at)),
                              path(file), ConstantInt::get(i64, line)));
    auto* type = ArrayType::get(record, records.size());
    auto* v = new GlobalVariable(module_, type, false, GlobalValue::PrivateLinkage, ConstantArray::get(type, records),
                                 "warpfuzz_lines_of_" + f.getName());
    v->setSection("warpfuzz_lines");
    v->setAlignment(Align(8));
    v->setComdat(array->getComdat());
    appendToUsed(module_, {v});
  }

  Module& module_;
  Places places_;
  std::map<std::string, Constant*> paths_;
};

}  // namespace

PreservedAnalyses ListLines::run(Module& m, ModuleAnalysisManager&) {
  Table table(m);
  bool changed = false;
  for (Function& f : m)
    if (!f.isDeclaration()) changed |= table.add(f);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace warpfuzz::pass
