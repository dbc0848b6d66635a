// A subcommand of `warpfuzz`: its name, what --help says of it, its options, what runs it. Each src/cli/NAME.cc ends in one,
//   extern const Command kName{"name", "What it does", declare, run};
// and the list of names in src/cli/CMakeLists.txt is what makes it part of the command.
#pragma once
#include <functional>
#include <memory>
#include <span>

#include "client/context.h"

namespace CLI {
class App;
}

namespace warpfuzz::cli {

class Command {
 public:
  // `declare` adds the options, each bound to a member of `Options`. `run` gets what was read into them; it returns an exit
  // code of base/exit_codes.h or throws a Failure.
  template <class Options>
  Command(const char* name, const char* what, void (*declare)(CLI::App&, Options&),
          int (*run)(const Context&, const Options&))
      : name(name), what(what), add([declare, run](CLI::App& app) {
          const auto options = std::make_shared<Options>();
          declare(app, *options);
          return [run, options](const Context& c) { return run(c, *options); };
        }) {}

  // Of a subcommand without options.
  Command(const char* name, const char* what, int (*run)(const Context&))
      : name(name), what(what), add([run](CLI::App&) { return run; }) {}

  using Run = std::function<int(const Context&)>;
  const char *name, *what;
  std::function<Run(CLI::App&)> add;  // declares the options; what it returns is called once they have been read
};

// Every subcommand, in the order of the list in CMakeLists.txt, which is that of --help.
std::span<const Command* const> commands();

}  // namespace warpfuzz::cli
