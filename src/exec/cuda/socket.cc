// Whole messages over a Unix socket, with descriptors.
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "exec/cuda/server/clients.h"

namespace warpfuzz::cuda {
namespace {
constexpr int kMaxDescriptors = 2;
}

bool send_all(int socket, const void* data, std::size_t bytes, const int* descriptors, int count) {
  const char* at = static_cast<const char*>(data);
  while (bytes) {
    iovec part{const_cast<char*>(at), bytes};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxDescriptors)] = {};
    if (count) {
      message.msg_control = control;
      message.msg_controllen = CMSG_SPACE(sizeof(int) * static_cast<std::size_t>(count));
      cmsghdr* c = CMSG_FIRSTHDR(&message);
      c->cmsg_level = SOL_SOCKET;
      c->cmsg_type = SCM_RIGHTS;
      c->cmsg_len = CMSG_LEN(sizeof(int) * static_cast<std::size_t>(count));
      std::memcpy(CMSG_DATA(c), descriptors, sizeof(int) * static_cast<std::size_t>(count));
    }
    const ssize_t n = sendmsg(socket, &message, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    count = 0;
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

bool receive_all(int socket, void* data, std::size_t bytes, int* descriptors, int count) {
  char* at = static_cast<char*>(data);
  while (bytes) {
    iovec part{at, bytes};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxDescriptors)] = {};
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    for (cmsghdr* c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c))
      if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS && count)
        std::memcpy(descriptors, CMSG_DATA(c), sizeof(int) * static_cast<std::size_t>(count));
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace warpfuzz::cuda
