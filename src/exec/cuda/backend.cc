#include "exec/cuda/backend.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/exit_codes.h"
#include "exec/cuda/server/gpu_server.h"
#include "schema/codec/codec.h"

namespace warpfuzz::cuda {
namespace {

// Servers that end without a word: killed by somebody, or by what the launcher does to its host.
constexpr int kServerTries = 4;
// Servers that another worker's case ended: with a kernel that often faults, many in a row.
constexpr int kLostTries = 1000;
constexpr int kConfirmSeconds = 5;  // for the other builds: a hang that is met again need not be waited for as long

// The pattern goes on behind the last element, to the end of the 16-byte unit.
void fill_gap(std::byte* start, std::size_t bytes, std::uint64_t pattern) {
  for (std::size_t i = bytes; i < round_up(bytes, kUnit); ++i)
    start[i] = static_cast<std::byte>(pattern >> 8 * (i % 8));
}

}  // namespace

std::string CudaBackend::compiler() const {
  return build_ == Build::plain ? "nvcc" : std::string("clang ") + __clang_version__;
}

void CudaBackend::plan(const RunInput& in, bool download_all) {
  const std::size_t count = in.schema->tensors.size();
  tensors_.resize(count);
  up_bytes_ = down_bytes_ = 0;
  for (std::size_t k = 0; k < count; ++k) {
    Planned& t = tensors_[k];
    static_cast<StagedTensor&>(t) = stage_tensor(in, k);
    if (!t.layout.present) continue;
    const std::size_t size = round_up(t.layout.storage_bytes(), kUnit);
    for (std::size_t call = 0; call < in.calls.size(); ++call) {
      if (t.start(call) == Start::image) {
        t.up[call] = up_bytes_;
        up_bytes_ += size;
      }
      if (!t.read_only() || download_all) {
        t.down[call] = down_bytes_;
        down_bytes_ += size;
      }
    }
  }
}

void CudaBackend::fill_tensor(const RunInput& in, std::size_t k, std::size_t call) {
  const Planned& t = tensors_[k];
  const TensorWire& w = link_.box().request.tensors[k];
  std::byte* to = link_.up() + t.up[call];
  image_.write(in, k, t, call, to);
  fill_gap(to, w.bytes, w.pattern);
}

void CudaBackend::fill_request(const RunInput& in, bool download_all) {
  Request& r = link_.box().request;
  const Bytes bytes = encode(*in.schema, *in.test_case);
  if (bytes.size() > kMaxCaseBytes) target_error("internal: a case of " + std::to_string(bytes.size()) + " bytes");
  const DTypeCombo& combo = in.schema->dtypes[in.test_case->dtype];
  std::memcpy(r.bytes, bytes.data(), bytes.size());
  r.case_bytes = static_cast<std::uint32_t>(bytes.size());
  r.calls = static_cast<std::uint32_t>(in.calls.size());
  r.in_dtype = static_cast<std::uint32_t>(combo.in);
  r.out_dtype = static_cast<std::uint32_t>(combo.out);
  r.coverage = in.coverage;
  r.hang_ms = static_cast<std::uint32_t>(time_limit_) * 1000;
  r.direct = direct_;
  r.poison = in.poison_variant == 0 ? 0xff : 0x7b;
  for (std::size_t k = 0; k < tensors_.size(); ++k) {
    const Planned& t = tensors_[k];
    TensorWire& w = r.tensors[k];
    w = {};
    if (!t.layout.present) continue;
    const std::size_t size = dtype_size(t.layout.dtype);
    w.present = 1;
    w.read_only = t.read_only();
    w.bytes = t.layout.storage_bytes();
    w.first = t.layout.offset * size;
    w.pattern = repeated(t.poison(in.poison_variant), size);
    for (std::size_t call = 0; call < kMaxCalls; ++call) {
      const bool made = call < in.calls.size();
      const Start start = made ? t.start(call) : Start::kept;
      w.up[call] = kNothingUp;
      if (start == Start::poison) w.up[call] = kPoisonUp;
      if (start == Start::image) w.up[call] = static_cast<std::int64_t>(t.up[call]);
      w.down[call] = made && (!t.read_only() || download_all) ? static_cast<std::int64_t>(t.down[call]) : -1;
      if (start == Start::image) fill_tensor(in, k, call);
    }
  }
}

// One request, to a new server where the old one ended for another worker's sake.
Outcome CudaBackend::exchange(const RunInput& in, bool download_all, bool with_meanwhile) {
  if (in.calls.empty()) target_error("internal: a run without a call");
  plan(in, download_all);
  for (int attempt = 0, gone = 0; attempt < kLostTries && gone < kServerTries; ++attempt) {
    const Connection connection = link_.connect(up_bytes_, down_bytes_);
    if (connection.state == Connection::State::lost) {
      usleep(20000);
      continue;
    }
    if (connection.state == Connection::State::refused) {
      std::fflush(stdout);
      std::fprintf(stderr, "warpfuzz: error: %s\n", unusable(connection.error).c_str());
      std::fflush(stderr);
      _exit(kExitNoDevice);
    }
    device_ = link_.hello().device;
    fill_request(in, download_all);
    link_.ask();
    if (with_meanwhile && in.meanwhile && attempt == 0) in.meanwhile();
    const Outcome outcome = link_.wait();
    if (outcome == Outcome::rejected) target_error(std::string("internal: the GPU server: ") + link_.box().answer.text);
    if (outcome == Outcome::left)
      target_error("the launcher ended the process in the middle of a case, with no fault of the kernel on record");
    direct_ |= outcome == Outcome::uncapturable;
    gone += outcome == Outcome::none;
    if (outcome == Outcome::done || outcome == Outcome::fault || outcome == Outcome::hang) return outcome;
    link_.disconnect();
  }
  return Outcome::lost;
}

RunOutput CudaBackend::run(const RunInput& in, const Launcher& launcher) {
  const auto begin = std::chrono::steady_clock::now();
  RunOutput out;
  if (in.coverage) coverage_ = {};
  const Outcome outcome = exchange(in, false, true);
  if (outcome == Outcome::lost)
    target_error(
        "the GPU server of this target ends again and again without a fault of a case on record; see its log in the folder warpfuzz-<uid> of "
        "$XDG_RUNTIME_DIR or /tmp");
  interpret(in, outcome, out);
  const bool ran = outcome == Outcome::done && out.status.fault == FaultClass::none;
  const bool ended = outcome != Outcome::done;
  if (ran) {
    for (std::size_t call = 0; call < in.calls.size() && out.status.fault == FaultClass::none; ++call) {
      read_outputs(out.calls.emplace_back(), call);
      check_memory(in, call, out.status);
    }
  }
  if (ended) link_.disconnect();
  out.status.kernel_ns = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count());
  const bool memory_fault = out.status.fault == FaultClass::oob_read || out.status.fault == FaultClass::oob_write;
  if (memory_fault && build_ == Build::instrumented) ask_checked_build(in, launcher, out.status);
  return out;
}

// The server stays for a while: the first case finds it. This process may be the parent of those that fuzz.
std::string CudaBackend::ready() {
  Connection connection;
  for (int attempt = 0; attempt < kServerTries; ++attempt) {
    connection = link_.connect(kPage, kPage);
    if (connection.state != Connection::State::lost) break;
  }
  link_.disconnect();
  return connection.state == Connection::State::ready ? "" : unusable(connection.error);
}

std::string CudaBackend::unusable(const std::string& error) const {
  return error + (link_.no_device()
                      ? "; kernels of this build run on a GPU, the preset cpu builds binaries that need none"
                      : "");
}

Backend* CudaBackend::other_build(OtherBuild which) {
  if (build_ != Build::instrumented) return nullptr;
  std::unique_ptr<CudaBackend>& other = others_[static_cast<std::size_t>(which)];
  static constexpr Build kBuilds[] = {Build::plain, Build::checked, Build::bare};
  if (!other) other = std::make_unique<CudaBackend>(kBuilds[static_cast<std::size_t>(which)], link_.device());
  other->set_time_limit(std::min(time_limit_, kConfirmSeconds));
  return other->link_.exists() ? other.get() : nullptr;
}

double CudaBackend::repeat(double seconds) {
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t n = 0;
  double passed = 0;
  while (passed < seconds) {
    for (int i = 0; i < 32; ++i, ++n) {
      link_.ask();
      if (link_.wait() != Outcome::done) return 0;
    }
    passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  return static_cast<double>(n) / passed;
}

std::unique_ptr<GpuServer> CudaBackend::server(const Schema& schema, const Launcher& launcher,
                                               const std::vector<std::string>& arguments) {
  return make_gpu_server(schema, launcher, arguments);
}

void CudaBackend::set_time_limit(int seconds) { time_limit_ = seconds; }

void CudaBackend::set_device(int number) {
  link_.set_device(number);
  for (auto& other : others_) other.reset();
}

}  // namespace warpfuzz::cuda

namespace warpfuzz {

Backend& this_backend() {
  static auto* backend = new cuda::CudaBackend(cuda::Build::instrumented, 0);
  return *backend;
}

}  // namespace warpfuzz
