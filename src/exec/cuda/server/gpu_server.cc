#include "exec/cuda/server/gpu_server.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <mutex>
#include <thread>
#include <utility>

#include "base/exit_codes.h"
#include "exec/cuda/server/clients.h"
#include "exec/cuda/server/runner.h"

namespace warpfuzz::cuda {
namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr int kDeathExit = 3;
constexpr auto kSpin = std::chrono::milliseconds(2);  // a worker's own work between two cases is shorter

// "fuzz_softmax.checked-1234abcd.sock.lock" -> "fuzz_softmax"
std::string target_of(const std::string& name) { return name.substr(0, name.find_first_of(".-")); }

// Servers of other targets on the same device: contexts of several processes take turns, in slices of about a millisecond.
std::string others_on_device(const std::string& lock_path) {
  const fs::path mine(lock_path);
  const std::string prefix = mine.filename().string().substr(0, mine.filename().string().find('-') + 1);
  std::string names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(mine.parent_path(), error)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".lock") || !name.starts_with(prefix) || entry.path() == mine) continue;
    const int other = ::open(entry.path().c_str(), O_RDWR | O_CLOEXEC);
    if (other < 0) continue;
    const std::string program = target_of(name.substr(prefix.size()));
    char workers = 0;  // the server keeps it there
    const bool busy = flock(other, LOCK_EX | LOCK_NB) != 0 && pread(other, &workers, 1, 0) == 1 && workers == '1';
    if (busy && program != target_of(mine.filename().string().substr(prefix.size())) &&
        names.find(program) == std::string::npos)
      names += (names.empty() ? "" : ", ") + program;
    close(other);
  }
  return names;
}

struct ServerSettings {
  int device = 0;
  std::string path;      // of the socket; its lock is path + ".lock", held while the server lives
  int idle_seconds = 3;  // without a worker
};

ServerSettings settings_from(const std::vector<std::string>& arguments) {
  ServerSettings settings;
  for (const std::string& a : arguments) {
    if (a.starts_with("--device=")) settings.device = std::atoi(a.c_str() + 9);
    if (a.starts_with("--socket=")) settings.path = a.substr(9);
    if (a.starts_with("--idle=")) settings.idle_seconds = std::atoi(a.c_str() + 7);
  }
  return settings;
}

class Server final : public GpuServer {
 public:
  Server(const Schema& schema, const Launcher& launcher, ServerSettings settings)
      : settings_(std::move(settings)), runner_(schema, launcher) {}
  int run() override;
  void ended_early() override;

 private:
  int serve(const std::string& lock_path, int lock);
  void work();
  bool take_requests();
  void finish_done();
  void sleep_until_asked();
  void watch();
  // Ends the process: the oldest case in flight is the culprit, the others ask a new server.
  [[noreturn]] void die(Outcome outcome, int error);

  const ServerSettings settings_;
  Runner runner_;
  Door door_;
  std::mutex guard_;  // of what the watchdog reads while this thread may be stuck in a launcher
  std::vector<Client*> clients_;
  std::deque<Client*> in_flight_;
  std::uint64_t served_ = 0;        // cases
  Client* submitting_ = nullptr;    // whose launcher is running on the main thread
  Clock::time_point busy_since_{};  // since when the oldest case in flight is the oldest
};

void Server::die(Outcome outcome, int error) {
  const char* why = outcome == Outcome::hang   ? "a kernel does not end"
                    : outcome == Outcome::lost ? "the launcher ends the process"
                                               : "a sticky error";
  std::fprintf(stderr, "warpfuzz server: %s, CUDA error %d (%s): the server ends\n", why, error,
               cudaGetErrorName(static_cast<cudaError_t>(error)));
  std::fflush(stderr);
  bool culprit = true;
  for (Client* c : in_flight_) {
    if (c->box->done.load(std::memory_order_acquire) == c->taken) continue;
    c->box->answer.error = error;
    c->raise_done(culprit ? outcome : Outcome::lost);
    culprit = false;
  }
  for (Client* c : clients_) {
    if (c->box->done.load(std::memory_order_acquire) == c->box->asked.load(std::memory_order_acquire)) continue;
    c->taken = c->box->asked.load(std::memory_order_acquire);
    c->raise_done(Outcome::lost);
  }
  _exit(kDeathExit);
}

void Server::finish_done() {
  while (!in_flight_.empty() &&
         in_flight_.front()->box->done.load(std::memory_order_acquire) == in_flight_.front()->taken) {
    const std::lock_guard lock(guard_);
    in_flight_.front()->in_flight = false;
    in_flight_.pop_front();
    ++served_;
    busy_since_ = Clock::now();
  }
}

bool Server::take_requests() {
  if (door_.has_new()) {
    const std::lock_guard lock(guard_);
    door_.take_new(clients_);
  }
  bool any = false;
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    Client* c = clients_[i];
    if (c->in_flight) continue;
    if (c->box->closed.load(std::memory_order_acquire)) {
      runner_.forget(*c);
      const std::lock_guard lock(guard_);
      door_.dismiss(c);
      clients_.erase(clients_.begin() + static_cast<std::ptrdiff_t>(i--));
      continue;
    }
    const std::uint32_t asked = c->box->asked.load(std::memory_order_acquire);
    if (asked == c->taken) continue;
    any = true;
    {
      const std::lock_guard lock(guard_);
      if (in_flight_.empty()) busy_since_ = Clock::now();
      in_flight_.push_back(c);
      c->in_flight = true;
      c->taken = asked;
    }
    submitting_ = c;
    runner_.submit(*c, asked);
    submitting_ = nullptr;
    finish_done();
  }
  return any;
}

void Server::sleep_until_asked() {
  Doorbell& bell = door_.bell();
  bell.sleeping.store(1, std::memory_order_seq_cst);
  const std::uint32_t rings = bell.rings.load(std::memory_order_seq_cst);
  bool asked = door_.has_new();
  for (Client* c : clients_) asked |= c->box->asked.load(std::memory_order_seq_cst) != c->taken;
  const timespec most{0, 100 * 1000 * 1000};
  if (!asked) syscall(SYS_futex, &bell.rings, FUTEX_WAIT, rings, &most, nullptr, 0);
  bell.sleeping.store(0, std::memory_order_seq_cst);
}

void Server::work() {
  auto last_work = Clock::now();
  std::uint64_t polls = 0;
  while (!door_.idle() || !clients_.empty()) {
    finish_done();
    const bool any = take_requests();
    if (any || !in_flight_.empty()) last_work = Clock::now();
    // An error shows in the stream only: the flags of what comes behind it are never raised.
    if (!in_flight_.empty() && (++polls & 0x3ff) == 0) {
      if (const cudaError_t error = runner_.failed()) {
        finish_done();
        const std::lock_guard lock(guard_);
        die(Outcome::fault, static_cast<int>(error));
      }
    }
    if (in_flight_.empty() && Clock::now() - last_work > kSpin) sleep_until_asked();
    else __builtin_ia32_pause();
  }
}

// On a thread of its own, since a launcher may wait for a kernel that never ends.
void Server::watch() {
  for (;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const std::lock_guard lock(guard_);
    if (in_flight_.empty()) continue;
    const std::uint32_t limit = in_flight_.front()->box->request.hang_ms;
    if (limit == 0 || Clock::now() - busy_since_ < std::chrono::milliseconds(limit)) continue;
    if (in_flight_.front()->box->done.load(std::memory_order_acquire) == in_flight_.front()->taken) continue;
    die(Outcome::hang, 0);
  }
}

// exit() or abort() in a launcher, as macros that check CUDA calls have them. The case that it belongs to gets its answer first.
void Server::ended_early() {
  if (!submitting_ || !observed()) return;
  finish_done();
  Client* culprit = submitting_;
  const Runner::Interrupted now = runner_.interrupted(*culprit);
  std::fprintf(stderr, "warpfuzz server: exit() in a launcher, %s, %zu launches, refused %d, CUDA error %d\n",
               now.capturing ? "captured" : "direct", observed()->launches.size(), now.refused,
               static_cast<int>(now.error));
  const std::lock_guard lock(guard_);
  std::erase(in_flight_, culprit);
  if (now.error) {
    in_flight_.push_front(culprit);
    die(Outcome::fault, static_cast<int>(now.error));
  }
  culprit->raise_done(now.refused ? Outcome::done : now.capturing ? Outcome::uncapturable : Outcome::left);
  die(Outcome::lost, 0);
}

int Server::run() {
  if (settings_.path.empty()) {
    std::fprintf(stderr,
                 "warpfuzz: this binary serves a GPU to fuzz_<target>, which starts it; expected --socket=PATH\n");
    return kExitUsage;
  }
  // Whoever started the worker may wait for the end of a pipe that this process would hold open.
  close_range(3, ~0u, 0);
  const std::string lock_path = settings_.path + ".lock";
  const int lock = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0) {
    std::fprintf(stderr, "warpfuzz server: %s: %s\n", lock_path.c_str(), std::strerror(errno));
    return kDeathExit;
  }
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) return 0;  // another worker was quicker
  return serve(lock_path, lock);
}

int Server::serve(const std::string& lock_path, int lock) {
  Hello hello{};
  hello.magic = kWireMagic;
  if (const std::string error = door_.open(settings_.path); !error.empty()) {
    std::fprintf(stderr, "warpfuzz server: %s\n", error.c_str());
    return kDeathExit;
  }
  const std::string error = runner_.open(settings_.device, hello.code);
  if (!error.empty()) {
    std::fprintf(stderr, "warpfuzz server: %s\n", error.c_str());
    std::snprintf(hello.text, sizeof hello.text, "%s", error.c_str());
    door_.refuse(hello);
    return kDeathExit;
  }
  runner_.describe(hello);
  if (const std::string others = others_on_device(lock_path); !others.empty())
    std::snprintf(hello.text, sizeof hello.text,
                  "GPU %d also runs %s: processes take turns on a GPU, which slows each down much", settings_.device,
                  others.c_str());
  for (std::uint32_t m = 0; m < hello.modules; ++m)
    std::fprintf(stderr, "warpfuzz server: %s, %u edges, %u compares\n", hello.device, hello.module[m].edges,
                 hello.module[m].compares);
  door_.start(hello, runner_.state_area(), settings_.idle_seconds, lock);
  std::thread([this] { watch(); }).detach();
  work();
  unlink(settings_.path.c_str());
  std::fprintf(stderr, "warpfuzz server: nobody has asked for %d s; %llu cases served\n", settings_.idle_seconds,
               static_cast<unsigned long long>(served_));
  std::fflush(stderr);
  _exit(0);  // without the runtime's own farewell, which threads of ours would outlive
}

}  // namespace

std::unique_ptr<GpuServer> make_gpu_server(const Schema& schema, const Launcher& launcher,
                                           const std::vector<std::string>& arguments) {
  return std::make_unique<Server>(schema, launcher, settings_from(arguments));
}

}  // namespace warpfuzz::cuda
