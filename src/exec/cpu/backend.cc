// The CPU backend: tensors of a case in device memory, the launcher's calls, and the checks that need no reference
// (inputs unchanged, padding untouched).
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "exec/case_witness.h"
#include "exec/cpu/case.h"
#include "exec/cpu/memory/host_door.h"
#include "exec/tensor_stage.h"

namespace warpfuzz {
namespace {

// One tensor of the case in device memory.
struct Slot {
  StagedTensor tensor;
  std::byte* data = nullptr;  // its storage; null: absent
  StorageImage image;
  std::span<const std::byte> before;  // what the storage held before the call, where the kernel may not write all of it

  bool guarded() const { return tensor.read_only() || tensor.padded(); }
};

class CpuBackend final : public Backend, public CaseWitness {
 public:
  const char* name() const override { return "cpu"; }
  std::string device() const override { return "CPU executor"; }
  std::string compiler() const override { return __VERSION__; }
  bool orders() const override { return true; }
  bool in_process() const override { return true; }
  RunOutput run(const RunInput& in, const Launcher& launcher) override;

  Operands compare_operands() override { return cpu::compare_operands(); }
  void clear_compare_operands() override { cpu::clear_compare_operands(); }
  std::vector<std::uint32_t> device_features() override { return {}; }
  DeviceBuilds* device_builds() override { return nullptr; }
  CaseWitness* witness() override { return this; }

  void set_death_hook(DeathHook hook) override { cpu::set_death_hook(hook); }
  const ExecStatus* running_case() const override { return cpu::running_case(); }
  void restore_signal_handlers() override { cpu::restore_signal_handlers(); }
  Place place_of(const void* pc) override {
    if (!pc) return cpu::host_place();
    Place place = cpu::current_place();
    if (place.kernel.empty()) return cpu::host_place();  // not the line of a system library, where the signal met it
    cpu::locate(pc, place);
    return place;
  }

 private:
  void place_tensors(const RunInput& in);
  void prepare(const RunInput& in, std::size_t k, std::size_t call);
  void check_memory(const RunInput& in, std::size_t call);
  void read_outputs(std::vector<std::vector<std::byte>>& out);

  std::vector<Slot> slots_ = std::vector<Slot>(kMaxTensors);
  std::size_t count_ = 0;
  std::vector<void*> pointers_;
};

void CpuBackend::place_tensors(const RunInput& in) {
  count_ = in.schema->tensors.size();
  pointers_.assign(count_, nullptr);
  for (std::size_t k = 0; k < count_; ++k) {
    Slot& s = slots_[k];
    s.tensor = stage_tensor(in, k);
    s.data = nullptr;
    const TensorLayout& layout = s.tensor.layout;
    if (!layout.present) continue;
    const std::size_t size = dtype_size(layout.dtype);
    void* storage =
        cpu::allocate_tensor(in.schema->tensors[k].name.c_str(), static_cast<int>(k), layout.storage_bytes(), size);
    s.data = static_cast<std::byte*>(storage);
    pointers_[k] = s.data + layout.offset * size;
  }
}

// The contents that a call starts from.
void CpuBackend::prepare(const RunInput& in, std::size_t k, std::size_t call) {
  Slot& s = slots_[k];
  if (!s.data) return;
  const TensorLayout& layout = s.tensor.layout;
  switch (s.tensor.start(call)) {
    case Start::kept: return;
    case Start::poison:
      fill_elements(s.data, layout.storage_elements, dtype_size(layout.dtype), s.tensor.poison(in.poison_variant));
      return;
    case Start::image: break;
  }
  if (!s.guarded()) return s.image.write(in, k, s.tensor, call, s.data);
  s.before = s.image.make(in, k, s.tensor, call);
  if (!s.before.empty()) std::memcpy(s.data, s.before.data(), s.before.size());
}

void CpuBackend::check_memory(const RunInput& in, std::size_t call) {
  for (std::size_t k = 0; k < count_; ++k) {
    const Slot& s = slots_[k];
    if (!s.data || !s.guarded() || s.before.empty()) continue;
    if (std::memcmp(s.data, s.before.data(), s.before.size()) == 0) continue;
    if (const auto change = s.tensor.change(in, k, call, s.before.data(), s.data))
      cpu::record_fault(change->fault, {}, change->message, static_cast<int>(k));
  }
}

void CpuBackend::read_outputs(std::vector<std::vector<std::byte>>& out) {
  out.resize(count_);
  for (std::size_t k = 0; k < count_; ++k)
    if (const Slot& s = slots_[k]; s.data && !s.tensor.read_only()) s.tensor.read(s.data, out[k]);
}

RunOutput CpuBackend::run(const RunInput& in, const Launcher& launcher) {
  if (in.calls.empty()) target_error("internal: a run without a call");
  RunOutput out;
  cpu::begin_case(in.schedule, in.poison_variant, in.coverage);
  place_tensors(in);
  Launch launch(*in.schema, *in.test_case, pointers_, nullptr);
  ExecStatus& status = cpu::current_case().status;
  for (std::size_t call = 0; call < in.calls.size() && status.fault == FaultClass::none; ++call) {
    for (std::size_t k = 0; k < count_; ++k) prepare(in, k, call);
    cpu::begin_host_code();
    try {
      launcher(launch);
    } catch (const std::exception& e) {
      cpu::record_fault(FaultClass::launch, {}, std::string("the launcher threw an exception: ") + e.what());
    }
    cpu::end_host_code();
    check_memory(in, call);
    read_outputs(out.calls.emplace_back().tensors);
  }
  out.status = cpu::end_case();
  return out;
}

}  // namespace

Backend& this_backend() {
  static CpuBackend* backend = new CpuBackend;
  return *backend;
}

}  // namespace warpfuzz
