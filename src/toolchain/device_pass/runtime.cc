// The header's names are mangled by its namespace wf_device: _ZN9wf_deviceL<length><name>E...
#include "runtime.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

using namespace llvm;

namespace warpfuzz::pass {
namespace {

constexpr char kPrefix[] = "_ZN9wf_deviceL";

// The plain name; "" for what isn't the header's.
StringRef header_name(StringRef name) {
  if (!name.consume_front(kPrefix)) return "";
  unsigned length = 0;
  if (name.consumeInteger(10, length) || name.size() < length) return "";
  return name.take_front(length);
}

GlobalVariable* header_variable(Module& m, StringRef name) {
  for (GlobalVariable& v : m.globals()) {
    if (header_name(v.getName()) == name) return &v;
  }
  return nullptr;
}

}  // namespace

bool is_runtime(const GlobalValue& v) { return !header_name(v.getName()).empty(); }
bool is_kernel(const Function& f) { return f.getCallingConv() == CallingConv::PTX_Kernel; }

std::optional<Request> read_request(Module& m) {
  GlobalVariable* counts = header_variable(m, "wf_counts");
  if (!counts || !counts->hasInitializer()) return std::nullopt;
  const auto* values = dyn_cast<ConstantDataSequential>(counts->getInitializer());
  if (!values || values->getNumElements() != cuda::kCountSize) return std::nullopt;
  const auto at = [&](unsigned index) { return static_cast<unsigned>(values->getElementAsInteger(index)); };
  const unsigned mode = at(cuda::kRequestMode);
  const bool device = Triple(m.getTargetTriple()).isNVPTX();
  if (!device && !(mode & cuda::kModeHostTest)) return std::nullopt;
  if (at(cuda::kRequestMagicAt) != cuda::kRequestMagic) {
    m.getContext().emitError(
        "warpfuzz: the device header and the compiler pass are of different versions; build WarpFuzz again");
    return std::nullopt;
  }
  Request r;
  r.counts = counts;
  r.coverage = mode & cuda::kModeCoverage, r.checks = mode & cuda::kModeChecks;
  r.compares = r.coverage && !(mode & cuda::kModeNoCompares);
  r.compare_registers = at(cuda::kRequestCompareRegisters);
  r.edge_words = at(cuda::kRequestEdgeWords);
  r.register_limit = at(cuda::kRequestRegisterLimit);
  return r;
}

Runtime::Runtime(Module& m) : m_(m) {
  for (Function& f : m) {
    const StringRef name = header_name(f.getName());
    if (!name.empty() && !f.isDeclaration()) functions_[name] = &f;
  }
}

Value* Runtime::call(IRBuilder<>& b, StringRef function, ArrayRef<Value*> arguments) {
  Function* callee = functions_.lookup(function);
  if (!callee) report_fatal_error("warpfuzz: warpfuzz_device.h lacks " + Twine(function), false);
  CallInst* call = b.CreateCall(callee, arguments);
  calls_.push_back(call);
  return call;
}

void Runtime::inline_calls() {
  for (CallInst* call : calls_) {
    InlineFunctionInfo info;
    if (!InlineFunction(*call, info).isSuccess())
      report_fatal_error("warpfuzz: a call of the device runtime can't be inlined", false);
  }
  calls_.clear();
}

void Runtime::remove_header() {
  removeFromUsedLists(m_, [](Constant* c) {
    const auto* value = dyn_cast<GlobalValue>(c->stripPointerCasts());
    return value && is_runtime(*value) && value->hasLocalLinkage();
  });
  // A function of the header may be used by another one: until nothing more goes.
  for (bool gone = true; gone;) {
    gone = false;
    for (Function& f : make_early_inc_range(m_)) {
      f.removeDeadConstantUsers();
      if (is_runtime(f) && f.hasLocalLinkage() && f.use_empty()) f.eraseFromParent(), gone = true;
    }
    for (GlobalVariable& v : make_early_inc_range(m_.globals())) {
      v.removeDeadConstantUsers();
      if (is_runtime(v) && v.hasLocalLinkage() && v.use_empty()) v.eraseFromParent(), gone = true;
    }
  }
}

void set_counts(const Request& request, const std::array<std::uint32_t, cuda::kCountSize>& counts) {
  request.counts->setInitializer(ConstantDataArray::get(request.counts->getContext(), ArrayRef<std::uint32_t>(counts)));
}

}  // namespace warpfuzz::pass
