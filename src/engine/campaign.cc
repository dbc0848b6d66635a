// The fuzzing loop's side of a campaign: a case is run, learned from and counted; the next is made of it.
#include "engine/campaign.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include <fmt/format.h>

#include "base/exit_codes.h"
#include "engine/family.h"
#include "numeric/hash.h"
#include "pipeline/feedback.h"
#include "process/say.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t*, std::size_t, std::size_t) __attribute__((weak));

namespace warpfuzz {

Campaign::Campaign(const Target& target, Backend& backend, const Options& options, const Invocation& invocation)
    : Session(target, backend, options, invocation),
      store_(target, backend, options, invocation),
      counts_known_(options.known_continue) {
  knowledge_.enabled = options.learned;
  take_up();
  if (invocation.has_fuzzing_children) family_ = start_family();
}

Campaign::~Campaign() { store_.close(); }

void Campaign::start() { store_.start(carried_.deaths > 0); }

RunSettings Campaign::settings(bool described) const {
  RunSettings s;
  s.extra_run_one_in = options_.extra_run_one_in;
  s.checked_run_one_in = options_.checked_run_one_in;
  s.describe = described;
  s.keep = described ? Keep::findings : Keep::nothing;
  return s;
}

int Campaign::run(std::span<const std::uint8_t> bytes) {
  if (did_its_runs()) end_early(kExitOk);
  if (ended_a_process(bytes)) return -1;
  store_.begin(bytes);
  RunSettings once = settings(!counts_known_);
  once.scratch = &scratch_;
  CaseResult r = run_watched(bytes, once);
  {
    const std::lock_guard lock(counting_);
    tally_.add(r);
  }
  store_.executed();
  ++completed_;
  if (r.fault != FaultClass::unsupported) {
    if (options_.value_features) add_features(target_.schema(), r);
    learn(r);
  }
  int code = 0;
  if (r.fault == FaultClass::unsupported) code = on_unsupported(r);
  else if (r.fault != FaultClass::none) code = on_finding(std::move(r));
  else scratch_.take_back(r);
  store_.end();
  return code;
}

void Campaign::learn(const CaseResult& r) {
  if (!options_.learned) return;
  for (const std::uint32_t t : r.tiles) knowledge_.learn_tile(t);
  const Operands operands = backend_.compare_operands();
  for (std::size_t i = 0; i + 1 < operands.pairs.size(); i += 2)
    knowledge_.learn_compare(operands.pairs[i], operands.pairs[i + 1]);
  for (std::size_t i = 0; i + 1 < operands.float_pairs.size(); i += 2)
    knowledge_.learn_float_compare(operands.float_pairs[i], operands.float_pairs[i + 1]);
  backend_.clear_compare_operands();
}

// A campaign from nothing looks around first: what its tiny first inputs lead to says little.
bool Campaign::begins(unsigned seed) const { return tally_.executions < kFirstCases && mix64(seed ^ 0x5eed) % 4 != 0; }

std::size_t Campaign::mutate_input(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  mutates_ = true;
  // Now and then libFuzzer's own mutator: it knows byte tricks that we do not.
  if (LLVMFuzzerMutate && mix64(seed) % 32 == 0) {
    const std::size_t n = LLVMFuzzerMutate(data, std::min(size, max_size), max_size);
    if (n) data[0] = 1;  // the version byte
    return n;
  }
  if (begins(seed)) return fresh_case(target_.schema(), seed, true, data, max_size);
  const Bytes in(data, data + size);
  return mutate(target_.schema(), knowledge_, in, seed, data, max_size);
}

std::size_t Campaign::cross_over(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b, std::uint8_t* out,
                                 std::size_t max_size, unsigned seed) {
  if (begins(seed)) return fresh_case(target_.schema(), seed, true, out, max_size);
  // libFuzzer crosses over as often as it mutates; what is learned and what is new comes from mutation alone.
  if (mix64(seed) % 2 == 0) return mutate(target_.schema(), knowledge_, a, seed, out, max_size);
  return crossover(target_.schema(), a, b, seed, out, max_size);
}

void Campaign::print_statistics() {
  const Tally counted = family_.empty() ? tally_ : family_total(family_);
  family_.clear();
  if (!counted.executions) return;
  print(fmt::format("warpfuzz: {}: {}{}\n", target_.name, counted.text(), counted.dims_text(target_)));
  if (store_.writes()) tell_family(counted);
}

bool Campaign::finish() {
  print_statistics();
  return !ran_nothing();
}

bool Campaign::ran_nothing() const {
  if (!tally_.unsupported || tally_.unsupported != tally_.executions || invocation_.merge || invocation_.minimize)
    return false;
  print(fmt::format("{}; {}\n", tally_.unsupported_by.begin()->first,
                    tally_.executions == 1 ? "the only case could not be run"
                                           : fmt::format("none of the {} cases could be run", tally_.executions)));
  return true;
}

void Campaign::end_early(int code) {
  leave_nothing_open();
  print_statistics();
  std::_Exit(ran_nothing() ? kExitUnsupported : code);
}

void Campaign::on_interrupted() {
  if (const std::unique_lock lock(counting_, std::chrono::milliseconds(300)); lock) print_statistics();
  store_.drop();
}

}  // namespace warpfuzz
