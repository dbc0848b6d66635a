// The folders come as options: -mllvm -warpfuzz-surface=DIR and -mllvm -warpfuzz-system=DIR.
#include "places.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/Path.h>

namespace warpfuzz::pass {
namespace {

llvm::cl::list<std::string> surface_dirs("warpfuzz-surface", llvm::cl::desc("folder of headers that stand for CUDA"));
llvm::cl::list<std::string> system_dirs("warpfuzz-system",
                                        llvm::cl::desc("folder of headers that are nobody's kernel"));

bool under(llvm::StringRef path, llvm::StringRef dir) {
  dir = dir.rtrim('/');
  return path.size() > dir.size() && path.starts_with(dir) && path[dir.size()] == '/';
}

}  // namespace

const Places::File& Places::file(const llvm::DIFile* f) {
  const auto known = files_.find(f);
  if (known != files_.end()) return known->second;
  llvm::SmallString<256> path;
  if (f) {
    if (!llvm::sys::path::is_absolute(f->getFilename())) path = f->getDirectory();
    llvm::sys::path::append(path, f->getFilename());
    llvm::sys::path::remove_dots(path, true);
  }
  Owner owner = f ? Owner::user : Owner::system;
  // The longest folder decides: headers that stand for CUDA may lie below a folder of the system.
  std::size_t longest = 0;
  const auto look = [&](const llvm::cl::list<std::string>& dirs, Owner o) {
    for (const std::string& dir : dirs) {
      llvm::SmallString<256> clean(dir);
      llvm::sys::path::remove_dots(clean, true);
      if (clean.size() > longest && under(path, clean)) longest = clean.size(), owner = o;
    }
  };
  look(system_dirs, Owner::system);
  look(surface_dirs, Owner::surface);
  return files_.try_emplace(f, File{std::string(path), owner}).first->second;
}

Owner Places::owner(const llvm::Instruction& i) {
  const llvm::DILocation* at = i.getDebugLoc().get();
  if (at) return file(at->getFile()).owner;
  // Built-ins that are marked nodebug take the place of their call when they are inlined.
  const llvm::DISubprogram* function = i.getFunction()->getSubprogram();
  return function ? file(function->getFile()).owner : Owner::surface;
}

bool Places::called_by_user(const llvm::Instruction& i) {
  for (const llvm::DILocation* at = i.getDebugLoc().get(); at; at = at->getInlinedAt()) {
    if (file(at->getFile()).owner == Owner::user) return true;
  }
  return false;
}

std::vector<Place> Places::user_lines(const llvm::Instruction& i) {
  std::vector<Place> lines;
  for (const llvm::DILocation* at = i.getDebugLoc().get(); at; at = at->getInlinedAt()) {
    const File& in = file(at->getFile());
    if (in.owner == Owner::user && at->getLine() > 0) lines.push_back({in.path, at->getLine()});
  }
  return lines;
}

Place Places::report(const llvm::Instruction& i) {
  const llvm::DILocation* innermost = i.getDebugLoc().get();
  if (!innermost) return {};
  for (const llvm::DILocation* at = innermost; at; at = at->getInlinedAt()) {
    if (file(at->getFile()).owner == Owner::user) return {file(at->getFile()).path, at->getLine()};
  }
  return {file(innermost->getFile()).path, innermost->getLine()};
}

}  // namespace warpfuzz::pass
