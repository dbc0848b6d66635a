#include "exec/cuda/server/clients.h"

#include <cuda_runtime.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

namespace warpfuzz::cuda {
namespace {

constexpr std::uint64_t kMaxArea = std::uint64_t{1} << 30;

// Shared memory without a name, and its address here.
int shared_memory(const char* name, std::size_t bytes, void*& at) {
  const int descriptor = memfd_create(name, MFD_CLOEXEC);
  if (descriptor < 0) return -1;
  at = ftruncate(descriptor, static_cast<off_t>(bytes)) == 0
           ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
           : MAP_FAILED;
  if (at != MAP_FAILED) return descriptor;
  close(descriptor);
  return -1;
}

}  // namespace

std::string Door::open(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return path + ": too long for a socket, which has " + std::to_string(sizeof address.sun_path - 1) + " bytes";
  std::strcpy(address.sun_path, path.c_str());
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  unlink(path.c_str());  // of a server that was killed: whoever holds the lock is the only one
  if (listener_ < 0 || bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) || listen(listener_, 128))
    return path + ": " + std::strerror(errno);
  void* at = nullptr;
  bell_descriptor_ = shared_memory("warpfuzz-bell", kPage, at);
  if (bell_descriptor_ < 0) return std::string("memfd_create: ") + std::strerror(errno);
  bell_ = new (at) Doorbell{};
  return {};
}

void Door::start(const Hello& hello, std::size_t state_area, int idle_seconds, int lock) {
  lock_ = lock;
  hello_ = hello;
  state_area_ = state_area;
  idle_seconds_ = idle_seconds;
  thread_ = std::thread([this] { serve(); });
  thread_.detach();  // ends with the process
}

void Door::refuse(const Hello& hello) {
  pollfd waiting{listener_, POLLIN, 0};
  while (poll(&waiting, 1, 1500) > 0) {
    const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) continue;
    send_all(socket, &hello, sizeof hello);
    close(socket);
  }
}

std::string Door::make_mailbox(Client& client, const Wish& wish, int& descriptor) {
  Mailbox sizes{};
  sizes.state_bytes = state_area_;
  sizes.up_bytes = wish.up;
  sizes.down_bytes = wish.down;
  client.bytes = mailbox_bytes(sizes);
  void* at = nullptr;
  descriptor = shared_memory("warpfuzz-mailbox", client.bytes, at);
  if (descriptor < 0) return std::string("shared memory: ") + std::strerror(errno);
  client.box = new (at) Mailbox{};
  client.box->magic = kWireMagic;
  client.box->state_bytes = state_area_;
  client.box->up_bytes = wish.up;
  client.box->down_bytes = wish.down;
  if (const cudaError_t e = cudaHostRegister(at, client.bytes, cudaHostRegisterMapped | cudaHostRegisterPortable))
    return std::string("cudaHostRegister: ") + cudaGetErrorName(e);
  void* mapped = nullptr;
  if (const cudaError_t e = cudaHostGetDevicePointer(&mapped, at, 0))
    return std::string("cudaHostGetDevicePointer: ") + cudaGetErrorName(e);
  client.device = reinterpret_cast<std::uint64_t>(mapped);
  return {};
}

void Door::greet(int socket) {
  timeval patience{5, 0};  // of a worker that stops in the middle of its greeting
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  Wish wish{};
  auto* client = new Client;
  client->socket = socket;
  int descriptors[2] = {-1, bell_descriptor_};
  bool good = send_all(socket, &hello_, sizeof hello_) && receive_all(socket, &wish, sizeof wish) &&
              wish.up <= kMaxArea && wish.down <= kMaxArea;
  if (good) good = make_mailbox(*client, wish, descriptors[0]).empty();
  if (good) good = send_all(socket, &client->bytes, sizeof client->bytes, descriptors, 2);
  if (descriptors[0] >= 0) close(descriptors[0]);
  if (!good) return dismiss(client);
  present_.push_back(client);
  const std::lock_guard lock(mutex_);
  arrived_.push_back(client);
  fresh_.store(true, std::memory_order_release);
}

void Door::serve() {
  auto last_seen = std::chrono::steady_clock::now();
  char noted = 0;
  for (;;) {
    std::vector<pollfd> watched{{listener_, POLLIN, 0}};
    for (Client* c : present_) watched.push_back({c->socket, POLLIN, 0});
    poll(watched.data(), watched.size(), 200);
    std::size_t i = 1;
    for (auto c = present_.begin(); c != present_.end(); ++i) {
      char byte;
      const bool left = watched[i].revents && recv((*c)->socket, &byte, 1, MSG_DONTWAIT) <= 0;
      if (left) (*c)->box->closed.store(1, std::memory_order_release);
      c = left ? present_.erase(c) : std::next(c);
    }
    if (watched[0].revents & POLLIN)
      if (const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC); socket >= 0) greet(socket);
    if (const char workers = present_.empty() ? '0' : '1'; workers != noted && pwrite(lock_, &workers, 1, 0) == 1)
      noted = workers;
    const auto now = std::chrono::steady_clock::now();
    if (!present_.empty()) last_seen = now;
    idle_.store(now - last_seen > std::chrono::seconds(idle_seconds_), std::memory_order_relaxed);
  }
}

void Door::take_new(std::vector<Client*>& into) {
  const std::lock_guard lock(mutex_);
  into.insert(into.end(), arrived_.begin(), arrived_.end());
  arrived_.clear();
  fresh_.store(false, std::memory_order_release);
}

void Door::dismiss(Client* client) {
  if (client->device) cudaHostUnregister(client->box);
  if (client->box) munmap(client->box, client->bytes);
  close(client->socket);
  delete client;
}

}  // namespace warpfuzz::cuda
