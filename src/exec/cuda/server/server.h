// The process that owns a GPU's context for one target. Started by the first worker that needs it, gone when nobody does.
#pragma once
#include <string>

#include "exec/exec.h"

namespace warpfuzz::cuda {

struct ServerSettings {
  int device = 0;
  std::string path;      // of the socket; its lock is path + ".lock", held while the server lives
  int idle_seconds = 3;  // without a worker
};
// Exit code of the process: 0, also where another server has the lock.
int run_server(const Schema& schema, const Launcher& launcher, const ServerSettings& settings);

// The process is about to end although a launcher is running: its case gets an answer. Returns where there is none.
void server_ended_early();

}  // namespace warpfuzz::cuda
