#include "exec/cuda/link.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/process/self.h"
#include "base/text.h"
#include "exec/cuda/server/clients.h"
#include "numeric/hash.h"

namespace warpfuzz::cuda {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto kStartPatience = std::chrono::seconds(20);  // a busy machine takes long to make a context
constexpr auto kSpin = std::chrono::microseconds(500);

bool try_connect(const std::string& path, int& socket_out) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return false;
  std::strcpy(address.sun_path, path.c_str());
  const int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (s >= 0 && connect(s, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return socket_out = s, true;
  if (s >= 0) close(s);
  return false;
}

std::string log_of(const std::string& socket) { return socket.substr(0, socket.rfind('.')) + ".log"; }

std::string last_words(const std::string& log) {
  const Result<Bytes> text = read_file(log);
  return text ? last_line({reinterpret_cast<const char*>(text->data()), text->size()}) : text.line();
}

// Ours alone: nobody else may hand kernels' memory to our fuzzer.
std::string runtime_folder(std::string& error) {
  const char* given = std::getenv("XDG_RUNTIME_DIR");
  const char* temporary = std::getenv("TMPDIR");
  const std::string base = given && *given && access(given, W_OK) == 0 ? given
                           : temporary && *temporary                   ? temporary
                                                                       : "/tmp";
  const std::string folder = base + "/warpfuzz-" + std::to_string(getuid());
  mkdir(folder.c_str(), 0700);
  struct stat s{};
  if (lstat(folder.c_str(), &s) != 0 || !S_ISDIR(s.st_mode) || s.st_uid != getuid())
    error = folder + ": expected a folder of our own; set XDG_RUNTIME_DIR to one that can be written";
  return folder;
}

Connection lost() { return {Connection::State::lost, "the GPU server ended while it was asked"}; }
Connection refused(std::string why) { return {Connection::State::refused, std::move(why)}; }

}  // namespace

const char* suffix_of(Build build) {
  return build == Build::checked ? ".checked" : build == Build::plain ? ".plain" : build == Build::bare ? ".bare" : "";
}

Link::~Link() { disconnect(); }

std::string Link::binary() const { return this_program().string() + suffix_of(build_); }

bool Link::exists() const { return access(binary().c_str(), X_OK) == 0; }

// <device>-<name>-<hash of the binary>.sock: a binary that was built anew does not meet the old one's server.
std::string Link::socket_path(std::string& error) const {
  const std::string program = binary();
  struct stat s{};
  if (stat(program.c_str(), &s) != 0) {
    error = program + ": " + std::strerror(errno) + "; it is built with the target in the preset cuda";
    return {};
  }
  const std::int64_t identity[] = {static_cast<std::int64_t>(s.st_dev), static_cast<std::int64_t>(s.st_ino), s.st_size,
                                   s.st_mtim.tv_sec, s.st_mtim.tv_nsec};
  char tail[24];
  std::snprintf(tail, sizeof tail, "-%08x.sock", static_cast<unsigned>(hash_bytes(identity, sizeof identity)));
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  std::string device = "gpu" + std::to_string(device_);
  if (visible && *visible) {
    char text[16];
    std::snprintf(text, sizeof text, "of%06x",
                  static_cast<unsigned>(hash_bytes(visible, std::strlen(visible)) & 0xffffff));
    device += text;
  }
  const std::string path =
      runtime_folder(error) + "/" + device + "-" + fs::path(program).filename().string().substr(0, 40) + tail;
  const std::size_t most = sizeof(sockaddr_un::sun_path) - 1;
  if (error.empty() && path.size() > most)
    error = path + ": a path of " + std::to_string(path.size()) + " characters, expected at most " +
            std::to_string(most) + " for a socket; set XDG_RUNTIME_DIR to a shorter one";
  return path;
}

std::string Link::start_server(const std::string& path) {
  // The other builds are needed now and then, and a context of its own costs hundreds of megabytes of device memory.
  const std::string idle = build_ == Build::instrumented ? "--idle=3" : "--idle=1";
  ProcessCommand c;
  c.argv = {binary(), "--warpfuzz-gpu-server", "--device=" + std::to_string(device_), "--socket=" + path, idle};
  c.environment = {"WARPFUZZ_OPTIONS"};  // those of this campaign, a narrowed dtype for one, are not the server's
  c.output = {Stream::Kind::log, log_of(path)};
  c.errors = {Stream::Kind::as_output};
  c.group = ProcessCommand::Group::session;  // a server outlives the worker that started it
  Process server;
  if (const std::string error = server.start(c); !error.empty()) return error;
  started_.push_back(std::move(server));
  return {};
}

Connection Link::connect(std::size_t up, std::size_t down) {
  std::erase_if(started_, [](Process& p) { return p.ended().has_value(); });  // servers of ours that ended
  if (box_ && up <= up_bytes_ && down <= down_bytes_) return {};
  disconnect();
  std::string error;
  const std::string path = socket_path(error);
  if (!error.empty()) return refused(error);
  const auto begin = Clock::now();
  auto started = begin - std::chrono::hours(1);
  while (!try_connect(path, socket_)) {
    const auto now = Clock::now();
    if (const auto status = started_.empty() ? std::nullopt : started_.back().ended()) {
      started_.pop_back();
      if (status->signal != 0 || status->code > 0)
        return refused("the GPU server of " + binary() + " did not start: " + last_words(log_of(path)) + " (" +
                       log_of(path) + ")");
    }
    if (now - begin > kStartPatience)
      return refused("the GPU server of " + binary() + " does not answer, or " + path +
                     ".lock is held by another process; its log is " + log_of(path));
    if (now - started > std::chrono::seconds(3)) {
      if (error = start_server(path); !error.empty()) return refused(error);
      started = now;
    }
    usleep(5000);
  }
  timeval patience{60, 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (!receive_all(socket_, &hello_, sizeof hello_) || hello_.magic != kWireMagic) {
    disconnect();
    return lost();
  }
  hello_.text[kTextBytes - 1] = hello_.device[sizeof hello_.device - 1] = 0;
  if (hello_.code != HelloCode::ready) {
    no_device_ = hello_.code == HelloCode::no_device;
    disconnect();
    return refused(hello_.text);
  }
  if (hello_.text[0] && !told_ && build_ == Build::instrumented) std::fprintf(stderr, "warpfuzz: %s\n", hello_.text);
  told_ = true;
  up_bytes_ = round_up(up * 2, kPage);
  down_bytes_ = round_up(down * 2, kPage);
  const Wish wish{up_bytes_, down_bytes_};
  int descriptors[2] = {-1, -1};
  if (!send_all(socket_, &wish, sizeof wish) || !receive_all(socket_, &bytes_, sizeof bytes_, descriptors, 2) ||
      descriptors[0] < 0) {
    disconnect();
    return lost();
  }
  void* box = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptors[0], 0);
  void* bell = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, descriptors[1], 0);
  close(descriptors[0]);
  close(descriptors[1]);
  if (box == MAP_FAILED || bell == MAP_FAILED)
    return refused(std::string("mapping the server's memory: ") + std::strerror(errno));
  box_ = static_cast<Mailbox*>(box);
  bell_ = static_cast<Doorbell*>(bell);
  number_ = 0;
  return {};
}

void Link::disconnect() {
  if (box_) munmap(box_, bytes_);
  if (bell_) munmap(bell_, kPage);
  if (socket_ >= 0) close(socket_);
  box_ = nullptr;
  bell_ = nullptr;
  socket_ = -1;
}

void Link::ask() {
  box_->asked.store(++number_, std::memory_order_seq_cst);
  if (bell_->sleeping.load(std::memory_order_seq_cst)) {
    bell_->rings.fetch_add(1, std::memory_order_seq_cst);
    syscall(SYS_futex, &bell_->rings, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  }
}

bool Link::server_gone() const {
  char byte;
  const ssize_t n = recv(socket_, &byte, 1, MSG_DONTWAIT | MSG_PEEK);
  return n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

Outcome Link::wait() {
  const auto begin = Clock::now();
  for (std::uint64_t turn = 0;; ++turn) {
    if (box_->done.load(std::memory_order_acquire) == number_) return box_->answer.outcome;
    if (turn % 64 != 0) {
      __builtin_ia32_pause();
      continue;
    }
    const auto waited = Clock::now() - begin;
    if (waited < kSpin) continue;
    if (server_gone() && box_->done.load(std::memory_order_acquire) != number_) return Outcome::none;
    usleep(waited < std::chrono::milliseconds(20) ? 50 : 2000);
    turn = 63;
  }
}

}  // namespace warpfuzz::cuda
