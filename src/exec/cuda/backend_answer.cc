// What a worker makes of a case that came back: faults, checks of memory, coverage, outputs.
#include <cstring>

#include "exec/cuda/backend.h"
#include "exec/cuda/faults.h"

namespace warpfuzz::cuda {

void CudaBackend::report_change(const RunInput& in, std::size_t k, std::size_t call, ExecStatus& status) {
  const Planned& t = tensors_[k];
  const auto change = t.change(in, k, call, image_.make(in, k, t, call).data(), link_.down() + t.down[call]);
  if (!change) return;
  status.fault = change->fault;
  status.tensor = static_cast<int>(k);
  status.message = change->message;
}

// Of one call that came back: red zones, the rounding behind each tensor, inputs, padding.
void CudaBackend::check_memory(const RunInput& in, std::size_t call, ExecStatus& status) {
  const Findings& found = link_.box().findings;
  bool downloaded = false;
  for (std::size_t k = 0; k < tensors_.size() && status.fault == FaultClass::none; ++k) {
    const Planned& t = tensors_[k];
    if (!t.layout.present) continue;
    const std::string& name = in.schema->tensors[k].name;
    const std::size_t bytes = t.layout.storage_bytes();
    if (found.red_zone[call] >> k & 1) {
      status.fault = FaultClass::oob_write;
      status.tensor = static_cast<int>(k);
      status.message = "write before the start of tensor " + name;
      return;
    }
    if (t.read_only()) {
      if (!(found.changed[call] >> k & 1)) continue;
      // The contents are needed: the same case again, with its inputs brought back.
      if (!downloaded) {
        RunInput again = in;
        again.coverage = false;
        downloaded = exchange(again, true, false) == Outcome::done;
      }
      if (downloaded) report_change(in, k, call, status);
      if (status.fault == FaultClass::none) {
        status.fault = FaultClass::input_changed;
        status.tensor = static_cast<int>(k);
        status.message = "input " + name + " was changed";
      }
      return;
    }
    const std::byte* image = link_.down() + t.down[call];
    const std::uint64_t pattern = link_.box().request.tensors[k].pattern;
    for (std::size_t i = bytes; i < round_up(bytes, kUnit); ++i) {
      if (image[i] == static_cast<std::byte>(pattern >> 8 * (i % 8))) continue;
      status.fault = FaultClass::oob_write;
      status.tensor = static_cast<int>(k);
      status.message = "write " + std::to_string(i - bytes + 1) + " bytes past the end of tensor " + name;
      return;
    }
    if (t.padded()) report_change(in, k, call, status);
  }
}

void CudaBackend::read_outputs(CallOutput& out, std::size_t call) {
  out.tensors.resize(tensors_.size());
  for (std::size_t k = 0; k < tensors_.size(); ++k)
    if (const Planned& t = tensors_[k]; t.layout.present && !t.read_only())
      t.read(link_.down() + t.down[call], out.tensors[k]);
}

// Coverage of a run, or the checked build's finding.
void CudaBackend::read_state(const RunInput& in, ExecStatus& status) {
  const Hello& hello = link_.hello();
  const std::byte* at = link_.state() + sizeof(StateHeader);
  std::uint32_t base = 0;
  if (in.coverage) coverage_.features.clear();
  for (std::uint32_t m = 0; m < hello.modules; ++m) {
    const auto& counts = hello.module[m];
    const std::size_t bytes = module_bytes(counts.edges, counts.compares, counts.coverage);
    if (in.coverage && counts.coverage) read_coverage({at, bytes}, counts.edges, counts.compares, base, coverage_);
    DeviceFinding f;
    std::memcpy(&f, at, sizeof f);
    if (hello.checks && f.claimed && status.fault == FaultClass::none) {
      std::vector<TensorLayout> layouts;
      for (const Planned& t : tensors_) layouts.push_back(t.layout);
      const auto* header = reinterpret_cast<const StateHeader*>(link_.state());
      describe_finding(f, layouts, *in.schema, hello.slot_base, *header, link_.box().answer.text, status);
      if (!status.launches.empty()) status.place.kernel = status.launches.back().kernel;
    }
    base += feature_count(counts.edges, counts.compares);
    at += bytes;
  }
  if (in.coverage && build_ == Build::instrumented) raise_counters(coverage_);
}

void CudaBackend::interpret(const RunInput& in, Outcome outcome, RunOutput& out) {
  ExecStatus& status = out.status;
  const Answer& a = link_.box().answer;
  for (std::uint32_t i = 0; i < a.launches && i < kMaxLaunches; ++i) {
    const LaunchWire& l = a.launch[i];
    LaunchInfo info{std::string(l.kernel, strnlen(l.kernel, sizeof l.kernel)),
                    {l.grid[0], l.grid[1], l.grid[2]},
                    {l.block[0], l.block[1], l.block[2]},
                    l.shared,
                    static_cast<int>(l.error)};
    status.launches.push_back(info);
  }
  status.float_atomics = link_.hello().float_atomics;
  status.leaked_bytes = a.leaked;
  if (!status.launches.empty()) status.place.kernel = status.launches.back().kernel;
  if (outcome == Outcome::hang) {
    status.fault = FaultClass::hang;
    status.message = "the kernel did not end within " + std::to_string(time_limit_) + " s";
    return;
  }
  if (outcome == Outcome::fault) {
    status.fault = class_of_error(a.error);
    status.message = std::string("the kernel ended with ") + error_text(a.error);
    return;
  }
  const Place where = status.place;
  status.place = {};
  for (const LaunchInfo& l : status.launches) {
    if (!l.error) continue;
    status.fault = FaultClass::launch;
    status.place.kernel = l.kernel;
    status.message = "launch refused: " + std::string(error_text(l.error)) + "; grid (" + std::to_string(l.grid[0]) +
                     "," + std::to_string(l.grid[1]) + "," + std::to_string(l.grid[2]) + "), block (" +
                     std::to_string(l.block[0]) + "," + std::to_string(l.block[1]) + "," + std::to_string(l.block[2]) +
                     "), " + std::to_string(l.dynamic_shared) + " bytes of dynamic shared memory";
    return;
  }
  if (a.text[0] && !link_.hello().checks) {
    status.fault = FaultClass::launch;
    status.message = std::string("the launcher threw an exception: ") + a.text;
    return;
  }
  status.place = where;
  read_state(in, status);
  if (status.fault == FaultClass::none) status.place = {};
}

void CudaBackend::ask_checked_build(const RunInput& in, const Launcher& launcher, ExecStatus& status) {
  Backend* checked = other_build(OtherBuild::checked);
  if (!checked) {
    status.message += "; without the checked build its place is not known";
    return;
  }
  RunInput again = in;
  again.coverage = false;
  again.meanwhile = nullptr;
  const RunOutput named = checked->run(again, launcher);
  if (named.status.fault == FaultClass::none) {
    status.message += "; the checked build met no access out of bounds";
    return;
  }
  const std::string first = status.message;
  ExecStatus better = named.status;
  better.launches = status.launches;
  status = better;
  status.message += " (" + first + ")";
}

}  // namespace warpfuzz::cuda
