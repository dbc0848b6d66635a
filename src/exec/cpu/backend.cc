// The CPU backend: tensors of a case in device memory, the launcher's calls, and the checks that need no reference
// (inputs unchanged, padding untouched).
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "exec/cpu/case.h"
#include "exec/cpu/memory/host_door.h"
#include "exec/tensor_image.h"

namespace warpfuzz {
namespace {

// One tensor of the case. `image` is what its storage must hold after a call where the kernel may not write; its
// capacity is kept from case to case.
struct Slot {
  TensorLayout layout;
  Role role = Role::in;
  std::byte* data = nullptr;
  std::vector<std::byte> image, elements;

  std::size_t bytes() const { return layout.storage_bytes(); }
  bool padded() const { return layout.storage_elements != layout.elements; }
  bool read_only() const { return role == Role::in; }
};

class CpuBackend final : public Backend {
 public:
  const char* name() const override { return "cpu"; }
  std::string device() const override { return "CPU executor"; }
  std::string compiler() const override { return __VERSION__; }
  bool orders() const override { return true; }
  bool in_process() const override { return true; }
  RunOutput run(const RunInput& in, const Launcher& launcher) override;

  Operands compare_operands() override { return cpu::compare_operands(); }
  void clear_compare_operands() override { cpu::clear_compare_operands(); }
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
  void prepare(const RunInput& in, std::size_t tensor, int call);
  void check_memory(const RunInput& in, int call);
  void harvest(std::vector<std::vector<std::byte>>& out);
  void report_change(const RunInput& in, std::size_t tensor, int call);

  std::vector<Slot> slots_ = std::vector<Slot>(kMaxTensors);
  std::size_t count_ = 0;
  std::vector<void*> pointers_;
};

void CpuBackend::place_tensors(const RunInput& in) {
  count_ = in.schema->tensors.size();
  pointers_.assign(count_, nullptr);
  for (std::size_t k = 0; k < count_; ++k) {
    Slot& s = slots_[k];
    s.layout = tensor_layout(*in.schema, *in.test_case, static_cast<int>(k));
    s.role = in.schema->tensors[k].role;
    s.data = nullptr;
    if (!s.layout.present) continue;
    const std::string& name = in.schema->tensors[k].name;
    s.data = static_cast<std::byte*>(
        cpu::allocate_tensor(name.c_str(), static_cast<int>(k), s.bytes(), dtype_size(s.layout.dtype)));
    pointers_[k] = s.data + s.layout.offset * dtype_size(s.layout.dtype);
  }
}

// The contents that a call starts from. A workspace keeps what the first call left.
void CpuBackend::prepare(const RunInput& in, std::size_t k, int call) {
  Slot& s = slots_[k];
  if (!s.data) return;
  DType t = s.layout.dtype;
  std::size_t size = dtype_size(t);
  if (s.role == Role::workspace && call > 0) return;
  if (!s.padded() && (s.role == Role::out || s.role == Role::workspace)) {
    PoisonKind kind = s.role == Role::out ? PoisonKind::output : PoisonKind::workspace;
    fill_elements(s.data, s.layout.storage_elements, size, poison_bits(t, kind, in.poison_variant));
    return;
  }
  s.elements.resize(s.layout.elements * size);
  if (s.role == Role::in || s.role == Role::inout) {
    const auto& calls = in.calls[static_cast<std::size_t>(call)].values;
    std::size_t given = k < calls.size() ? calls[k].size() : 0;
    if (given != s.layout.elements) {
      target_error("internal: tensor " + in.schema->tensors[k].name + " has " + std::to_string(s.layout.elements) +
                   " elements, got " + std::to_string(given) + " values");
    }
    store_values(t, calls[k], s.elements.data());
  } else {
    PoisonKind kind = s.role == Role::out ? PoisonKind::output : PoisonKind::workspace;
    fill_elements(s.elements.data(), s.layout.elements, size, poison_bits(t, kind, in.poison_variant));
  }
  s.image.resize(s.bytes());
  if (s.layout.contiguous() && !s.padded()) {
    s.image.swap(s.elements);
  } else {
    fill_elements(s.image.data(), s.layout.storage_elements, size,
                  poison_bits(t, PoisonKind::padding, in.poison_variant));
    scatter(s.layout, s.elements.data(), s.image.data());
  }
  if (!s.image.empty()) std::memcpy(s.data, s.image.data(), s.bytes());
}

void CpuBackend::report_change(const RunInput& in, std::size_t k, int call) {
  Slot& s = slots_[k];
  const auto change = find_change(s.layout, in.schema->tensors[k].name, s.read_only(), call, s.image.data(), s.data);
  if (change) cpu::record_fault(change->fault, {}, change->message, static_cast<int>(k));
}

void CpuBackend::check_memory(const RunInput& in, int call) {
  for (std::size_t k = 0; k < count_; ++k) {
    Slot& s = slots_[k];
    if (!s.data || s.bytes() == 0 || (!s.read_only() && !s.padded())) continue;
    if (std::memcmp(s.data, s.image.data(), s.bytes()) != 0) report_change(in, k, call);
  }
}

void CpuBackend::harvest(std::vector<std::vector<std::byte>>& out) {
  out.resize(count_);
  for (std::size_t k = 0; k < count_; ++k) {
    Slot& s = slots_[k];
    if (!s.data || s.read_only()) continue;
    out[k].resize(s.layout.elements * dtype_size(s.layout.dtype));
    if (out[k].empty()) continue;
    if (s.layout.contiguous() && !s.padded()) std::memcpy(out[k].data(), s.data, out[k].size());
    else gather(s.layout, s.data, out[k].data());
  }
}

RunOutput CpuBackend::run(const RunInput& in, const Launcher& launcher) {
  if (in.calls.empty()) target_error("internal: a run without a call");
  RunOutput out;
  cpu::begin_case(in.schedule, in.poison_variant, in.coverage);
  place_tensors(in);
  Launch launch(*in.schema, *in.test_case, pointers_, nullptr);
  ExecStatus& status = cpu::current_case().status;
  for (std::size_t call = 0; call < in.calls.size() && status.fault == FaultClass::none; ++call) {
    for (std::size_t k = 0; k < count_; ++k) prepare(in, k, static_cast<int>(call));
    cpu::begin_host_code();
    try {
      launcher(launch);
    } catch (const std::exception& e) {
      cpu::record_fault(FaultClass::launch, {}, std::string("the launcher threw an exception: ") + e.what());
    }
    cpu::end_host_code();
    check_memory(in, static_cast<int>(call));
    harvest(out.calls.emplace_back().tensors);
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
