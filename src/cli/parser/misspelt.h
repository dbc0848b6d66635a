// Commands and options that do not exist: which was meant.
#pragma once
#include <string>

namespace CLI {
class App;
}

namespace warpfuzz::cli {

// Before parsing: "" or "unknown command 'lst', did you mean 'list'?" for the first word that is no option.
std::string unknown_command(const CLI::App& app, int argc, char** argv);
// After a parse that failed: "" or "list has no option '--targts', did you mean '--targets'?".
std::string unknown_option(const CLI::App& app);

}  // namespace warpfuzz::cli
