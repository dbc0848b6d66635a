// The server's door: a thread that greets workers, gives each a mailbox, and notices when one goes.
#pragma once
#include <poll.h>

#include <atomic>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "exec/cuda/server/runner.h"

namespace warpfuzz::cuda {

class Door {
 public:
  // Listens at `path`. "" or one line.
  std::string open(const std::string& path);
  // Greets with `hello` from now on; state_area: bytes of a mailbox's state. Workers that came earlier have waited.
  // lock: the file's first byte says whether there are workers.
  void start(const Hello& hello, std::size_t state_area, int idle_seconds, int lock);
  // Tells everybody who comes within a short time why there is no server, then returns.
  void refuse(const Hello& hello);
  // All workers; the caller owns those that it moved to its own list. New ones are appended at any time.
  void take_new(std::vector<Client*>& into);
  bool has_new() const { return fresh_.load(std::memory_order_acquire); }
  bool idle() const { return idle_.load(std::memory_order_relaxed); }  // nobody has been here for idle_seconds
  Doorbell& bell() { return *bell_; }
  // What a client that is gone held: its mailbox and its socket.
  void dismiss(Client* client);

 private:
  void serve();
  void greet(int socket);
  std::string make_mailbox(Client& client, const Wish& wish, int& descriptor);

  int lock_ = -1, listener_ = -1, bell_descriptor_ = -1;
  Doorbell* bell_ = nullptr;
  Hello hello_{};
  std::size_t state_area_ = 0;
  int idle_seconds_ = 10;
  std::mutex mutex_;
  std::vector<Client*> arrived_;  // not yet taken
  std::list<Client*> present_;    // whose sockets are watched
  std::atomic<bool> fresh_{false}, idle_{false};
  std::thread thread_;
};

// Sends or receives whole structs; descriptors may ride along. False: the other end is gone.
bool send_all(int socket, const void* data, std::size_t bytes, const int* descriptors = nullptr, int count = 0);
bool receive_all(int socket, void* data, std::size_t bytes, int* descriptors = nullptr, int count = 0);

}  // namespace warpfuzz::cuda
