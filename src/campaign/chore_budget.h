// How much of a campaign's time goes to chores: merges, shrinking from outside, error records.
#pragma once

namespace warpfuzz::cli {

// A share of the workers' time, all workers together. What nothing asked for accumulates: a chore that is longer than the share
// of a minute waits until there is enough. Seconds are those of one worker's place.
class ChoreBudget {
 public:
  // run_seconds: how long the run will be at most; infinite where it goes on until it is stopped.
  ChoreBudget(double share, int workers, double run_seconds) : rate_(share * workers), run_seconds_(run_seconds) {}

  // What has accumulated when the run is `elapsed` seconds old and is neither used nor promised to a chore that runs.
  double left(double elapsed) const { return rate_ * elapsed - spent_ - promised_; }
  bool fits(double elapsed, double expected) const { return expected <= left(elapsed); }
  void begin(double expected) { promised_ += expected; }
  void end(double expected, double took) { promised_ -= expected, spent_ += took; }
  // Chores that took longer than expected may borrow from the rest of the run, and no more: `running` is what those that run
  // have taken so far. A run without an end pays back whatever it borrowed.
  bool overdrawn(double running) const { return spent_ + running > rate_ * run_seconds_; }
  double spent() const { return spent_; }

 private:
  double rate_, run_seconds_, spent_ = 0, promised_ = 0;
};

}  // namespace warpfuzz::cli
