#include "exec/cuda/server/runner.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>

#include "schema/codec/codec.h"

namespace warpfuzz::cuda {
namespace {

std::uint32_t units(std::size_t bytes) { return static_cast<std::uint32_t>(round_up(bytes, kUnit) / kUnit); }

void set_text(char (&to)[kTextBytes], const std::string& text) { std::snprintf(to, sizeof to, "%s", text.c_str()); }

bool refused(const Observation& seen) {
  return std::any_of(seen.launches.begin(), seen.launches.end(), [](const LaunchWire& l) { return l.error != 0; });
}

Segment copy(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  return {to, from, 0, 0, 0, units(bytes), 0, Piece::copy};
}
Segment fill(std::uint64_t to, std::uint64_t pattern, std::size_t bytes) {
  return {to, 0, 0, pattern, 0, units(bytes), 0, Piece::fill};
}

}  // namespace

void Client::raise_done(Outcome outcome) {
  box->answer.outcome = outcome;
  box->done.store(taken, std::memory_order_release);
}

std::size_t Runner::state_area() const {
  std::size_t bytes = sizeof(StateHeader);
  for (const Module& m : modules_) bytes += m.bytes;
  return bytes;
}

void Runner::describe(Hello& hello) const {
  std::snprintf(hello.device, sizeof hello.device, "%s", device_name_.c_str());
  hello.slot_base = slots_.base_high();
  for (const Module& m : modules_) {
    hello.module[hello.modules++] = {m.counts[kCountEdges], m.counts[kCountCompares],
                                     (m.counts[kCountMode] & kModeCoverage) != 0, 0};
    hello.float_atomics |= m.counts[kCountFloatAtomics];
    hello.checks += m.counts[kCountAccesses];
  }
}

// The request lies in memory that the worker can write: whatever it says, the server's own memory stays safe.
std::string Runner::check(const Client& client) const {
  const Mailbox& box = *client.box;
  const Request& r = box.request;
  if (r.case_bytes > kMaxCaseBytes)
    return "the case has " + std::to_string(r.case_bytes) + " bytes, expected at most " + std::to_string(kMaxCaseBytes);
  if (r.calls < 1 || r.calls > kMaxCalls) return "calls: expected 1 or 2, got " + std::to_string(r.calls);
  for (std::size_t k = 0; k < schema_.tensors.size(); ++k) {
    const TensorWire& t = r.tensors[k];
    if (!t.present) continue;
    const std::uint64_t size = round_up(t.bytes, kUnit);
    if (t.bytes > kSlotStride / 4 || t.first > t.bytes)
      return "tensor " + schema_.tensors[k].name + " of " + std::to_string(t.bytes) + " bytes is too large";
    for (int c = 0; c < kMaxCalls; ++c) {
      const auto inside = [&](std::int64_t at, std::uint64_t area) {
        return at < 0 || (at % static_cast<std::int64_t>(kUnit) == 0 && static_cast<std::uint64_t>(at) + size <= area);
      };
      if (!inside(t.up[c], box.up_bytes) || !inside(t.down[c], box.down_bytes))
        return "tensor " + schema_.tensors[k].name + " lies outside of the mailbox";
    }
  }
  return {};
}

TestCase Runner::case_of(const Request& r, std::string& error) const {
  TestCase c = decode(schema_, {r.bytes, r.case_bytes});
  for (std::size_t i = 0; i < schema_.dtypes.size(); ++i) {
    if (static_cast<std::uint32_t>(schema_.dtypes[i].in) != r.in_dtype ||
        static_cast<std::uint32_t>(schema_.dtypes[i].out) != r.out_dtype)
      continue;
    c.dtype = static_cast<std::uint8_t>(i);  // the worker's list of dtypes may be narrowed
    return c;
  }
  error = "the target has no dtype combination " + std::to_string(r.in_dtype) + ", " + std::to_string(r.out_dtype);
  return c;
}

std::uint64_t Runner::shadow(int k, std::size_t bytes, std::string& error) {
  Shadow& s = shadows_[k];
  if (s.bytes < round_up(bytes, kUnit)) {
    if (s.data) cudaFree(s.data);
    s.bytes = round_up(2 * bytes, kPage);
    if (const cudaError_t e = cudaMalloc(&s.data, s.bytes)) {
      s = {};
      error = failed_call("cudaMalloc", e);
    }
  }
  return reinterpret_cast<std::uint64_t>(s.data);
}

// Places the tensors, and says what is copied and checked around each call.
std::string Runner::plan(Client& client, std::uint32_t number, std::vector<void*>& pointers, Call (&calls)[kMaxCalls]) {
  Mailbox& box = *client.box;
  const Request& r = box.request;
  const std::uint64_t up = client.device + up_at(box), down = client.device + down_at(box);
  const std::uint64_t findings = client.device + offsetof(Mailbox, findings);
  const int count = static_cast<int>(schema_.tensors.size());
  bool grows = false;
  for (int k = 0; k < count; ++k) {
    const TensorWire& t = r.tensors[k];
    grows |= t.present && (slots_.grows(k, t.bytes) || (t.read_only && shadows_[k].bytes < round_up(t.bytes, kUnit)));
  }
  if (grows)
    if (const cudaError_t e = cudaStreamSynchronize(stream_)) return failed_call("cudaStreamSynchronize", e);
  auto* header = reinterpret_cast<StateHeader*>(reinterpret_cast<char*>(&box) + state_at());
  header->bounds[kSlots] = {0, 0};
  header->range_count = static_cast<std::uint32_t>(std::min<std::size_t>(variables_.size(), kMaxRanges));
  for (std::uint32_t i = 0; i < header->range_count; ++i) {
    const auto begin = reinterpret_cast<std::uint64_t>(variables_[i].variable);
    header->ranges[i] = {begin, begin + variables_[i].bytes};
  }
  for (int k = 0; k < count; ++k) {
    const TensorWire& t = r.tensors[k];
    header->bounds[k] = {0, 0};
    if (!t.present) continue;
    if (const std::string error = slots_.reserve(k, t.bytes); !error.empty()) return error;
    const std::uint64_t at = slots_.place(k, t.bytes);
    header->bounds[k] = {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(t.bytes)};
    pointers[static_cast<std::size_t>(k)] = reinterpret_cast<void*>(at + t.first);
    const std::uint32_t bit = static_cast<std::uint32_t>(k);
    std::string error;
    for (std::uint32_t call = 0; call < r.calls; ++call) {
      Stage &before = calls[call].before, &behind = calls[call].behind;
      bool room = before.add(fill(at - kFrontZone, t.pattern, kFrontZone));
      if (t.up[call] >= 0) {
        Segment s = copy(at, up + static_cast<std::uint64_t>(t.up[call]), t.bytes);
        if (t.read_only) {
          s.piece = Piece::copy_twice;
          s.also = shadow(k, t.bytes, error);
        }
        room &= before.add(s);
      } else if (t.up[call] == kPoisonUp) {
        room &= before.add(fill(at, t.pattern, t.bytes));
      }
      const std::uint64_t red = findings + offsetof(Findings, red_zone) + 4 * call,
                          changed = findings + offsetof(Findings, changed) + 4 * call;
      room &= behind.add({0, at - kFrontZone, 0, t.pattern, red, units(kFrontZone), bit, Piece::expect});
      if (t.read_only && t.up[call] >= 0)
        room &= behind.add({0, at, shadow(k, t.bytes, error), 0, changed, units(t.bytes), bit, Piece::same});
      if (t.down[call] >= 0) room &= behind.add(copy(down + static_cast<std::uint64_t>(t.down[call]), at, t.bytes));
      if (!room) return "too many pieces";
    }
    if (!error.empty()) return error;
  }
  box.findings = {};
  add_state(client, calls, static_cast<int>(r.calls) - 1);
  Stage& last = calls[r.calls - 1].behind;
  last.done = checks_ ? 0 : client.device + offsetof(Mailbox, done);
  last.counter = counter_;
  last.number = number;
  return {};
}

void Runner::add_state(Client& client, Call (&calls)[kMaxCalls], int last) {
  const std::uint64_t area = client.device + state_at();
  std::uint64_t to = area + sizeof(StateHeader);
  for (const Module& m : modules_) {
    const std::size_t coverage = m.bytes - offsetof(StateHeader, bounds);
    if (checks_) {
      calls[0].before.add(fill(m.state, 0, offsetof(StateHeader, bounds)));
      calls[0].before.add(copy(m.state + offsetof(StateHeader, bounds), area + offsetof(StateHeader, bounds),
                               sizeof(StateHeader) - offsetof(StateHeader, bounds)));
      calls[last].behind.add(copy(to, m.state, offsetof(StateHeader, bounds)));
    }
    if (coverage) {
      calls[0].before.add(fill(m.state + sizeof(StateHeader), 0, coverage));
      if (client.box->request.coverage)
        calls[last].behind.add(copy(to + offsetof(StateHeader, bounds), m.state + sizeof(StateHeader), coverage));
    }
    to += m.bytes;
  }
}

// direct: not captured, so that the launcher may wait and use any stream.
cudaError_t Runner::enqueue(Client& client, const Launch& launch, Call (&calls)[kMaxCalls], Observation& seen,
                            std::string& thrown, bool direct) {
  cudaError_t error = cudaSuccess;
  for (const Kept& v : variables_)
    if (!error) error = cudaMemcpyAsync(v.variable, v.copy, v.bytes, cudaMemcpyDeviceToDevice, stream_);
  for (std::uint32_t call = 0; call < client.box->request.calls && !error; ++call) {
    error = launch_stage(calls[call].before, stream_);
    if (direct && !error) error = cudaStreamSynchronize(stream_);
    if (error) break;
    try {
      Observer observer(seen, stream_, static_cast<std::uint8_t>(client.box->request.poison));
      launcher_(launch);
    } catch (const std::exception& e) { thrown = e.what(); }
    // Of a refused launch, which must not meet the next call. nvcc's code has its launches pass unseen.
    if (const cudaError_t left = cudaGetLastError(); left && !refused(seen) && seen.launches.size() < kMaxLaunches)
      seen.launches.push_back({"", {}, {}, static_cast<std::uint32_t>(left), 0});
    answer(client, seen, thrown, direct);  // the device says `done` behind this call
    if (!thrown.empty()) break;
    if (direct) error = cudaDeviceSynchronize();
    if (!error) error = launch_stage(calls[call].behind, stream_);
  }
  return error;
}

// False: this launcher can't be captured after all.
bool Runner::run_captured(Client& client, const Launch& launch, Call (&calls)[kMaxCalls], Observation& seen,
                          std::string& thrown) {
  if (cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal)) return cudaGetLastError(), false;
  capturing_ = true;
  const cudaError_t error = enqueue(client, launch, calls, seen, thrown, false);
  cudaGraph_t graph = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
  capturing_ = false;
  // What a capture says of a refused launch is vague: call by call the runtime gives the reason.
  bool good = !error && !ended && graph && thrown.empty() && seen.capturable && !refused(seen);
  if (good && client.graph) {
    cudaGraphExecUpdateResultInfo info{};
    if (cudaGraphExecUpdate(client.graph, graph, &info)) {
      cudaGetLastError();
      cudaGraphExecDestroy(client.graph);
      client.graph = nullptr;
    }
  }
  if (good && !client.graph) good = cudaGraphInstantiate(&client.graph, graph, 0) == cudaSuccess;
  if (good) good = cudaGraphLaunch(client.graph, stream_) == cudaSuccess;
  if (graph) cudaGraphDestroy(graph);
  if (!good) cudaGetLastError();
  return good;
}

void Runner::answer(Client& client, const Observation& seen, const std::string& thrown, bool direct) {
  Answer& a = client.box->answer;
  a.outcome = Outcome::done;
  a.error = 0;
  a.direct = direct;
  a.leaked = seen.leaked;
  a.launches = static_cast<std::uint32_t>(std::min<std::size_t>(seen.launches.size(), kMaxLaunches));
  for (std::uint32_t i = 0; i < a.launches; ++i) {
    a.launch[i] = seen.launches[i];
    if (!a.error) a.error = static_cast<std::int32_t>(seen.launches[i].error);
  }
  set_text(a.text, thrown);
}

// The place of an access out of bounds is a string in the module's memory.
void Runner::name_finding(Client& client) const {
  const char* at = reinterpret_cast<const char*>(client.box) + state_at() + sizeof(StateHeader);
  for (const Module& m : modules_) {
    DeviceFinding f;
    std::memcpy(&f, at, sizeof f);
    at += m.bytes;
    if (!f.claimed) continue;
    std::string text;
    char piece[17] = {};
    do {
      if (cudaMemcpy(piece, reinterpret_cast<const char*>(f.where) + text.size(), 16, cudaMemcpyDeviceToHost)) break;
      text += piece;
    } while (std::strlen(piece) == 16 && text.size() + 17 < kTextBytes);
    cudaGetLastError();
    set_text(client.box->answer.text, text);
    return;
  }
}

void Runner::submit(Client& client, std::uint32_t number) {
  client.taken = number;
  std::string error = check(client);
  TestCase c;
  if (error.empty()) c = case_of(client.box->request, error);
  Call calls[kMaxCalls] = {};
  std::vector<void*> pointers(schema_.tensors.size(), nullptr);
  if (error.empty()) error = plan(client, number, pointers, calls);
  if (!error.empty()) {
    set_text(client.box->answer.text, error);
    return client.raise_done(Outcome::rejected);
  }
  const Launch launch(schema_, c, pointers, stream_);
  const auto watched = [&](Observation& seen) {
    if (!checks_) return;
    auto* header = reinterpret_cast<StateHeader*>(reinterpret_cast<char*>(client.box) + state_at());
    seen.on_allocation = [this, header](const Observation::Allocation& a) {
      if (header->range_count >= kMaxRanges) return;
      const auto begin = reinterpret_cast<std::uint64_t>(a.start);
      header->ranges[header->range_count++] = {begin, begin + a.bytes};
      for (const Module& m : modules_)
        cudaMemcpy(reinterpret_cast<void*>(m.state + offsetof(StateHeader, range_count)), &header->range_count,
                   sizeof(StateHeader) - offsetof(StateHeader, range_count), cudaMemcpyHostToDevice);
    };
  };
  if (capture_ && !checks_ && !client.box->request.direct) {
    Observation seen;
    std::string thrown;
    watched(seen);
    if (run_captured(client, launch, calls, seen, thrown)) return;
    capture_ = !thrown.empty() || refused(seen);
    free_allocations(seen);
  }
  Observation seen;
  std::string thrown;
  watched(seen);
  const cudaError_t failure = enqueue(client, launch, calls, seen, thrown, true);
  if (!judged_) capture_ = seen.capturable && !seen.launches.empty();
  judged_ = true;
  if (!thrown.empty()) {
    client.raise_done(Outcome::done);
  } else if (failure && !failed()) {  // a sticky error is the server's business
    set_text(client.box->answer.text, failed_call("enqueueing a case", failure));
    client.raise_done(Outcome::rejected);
  } else if (!failure && checks_ && !cudaStreamSynchronize(stream_)) {
    name_finding(client);
    client.raise_done(Outcome::done);
  }
  if (!failed()) free_allocations(seen);
}

Runner::Interrupted Runner::interrupted(Client& client) {
  Interrupted now{capturing_, false, cudaSuccess};
  if (const Observation* seen = observed()) {
    now.refused = refused(*seen);
    answer(client, *seen, "", true);
  }
  cudaGraph_t graph = nullptr;
  if (capturing_) cudaStreamEndCapture(stream_, &graph);
  else now.error = cudaDeviceSynchronize();
  return now;
}

void Runner::forget(Client& client) {
  if (client.graph) cudaGraphExecDestroy(client.graph);
  client.graph = nullptr;
}

}  // namespace warpfuzz::cuda
