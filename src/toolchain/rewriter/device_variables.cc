// Marks of kernels, functions and global variables. Variables of the device go to a section of their own, so that the
// executor can put them back after each case, and managed ones to another, since host code may touch them. Its name is no C identifier on purpose: AddressSanitizer leaves out red
// zones in sections that have linker-made start and stop symbols. Constants (const, constexpr) stay where they are:
// nothing can change them, and a section cannot hold both.
#include "toolchain/rewriter/passes.h"

namespace warpfuzz::rewrite {
namespace {

constexpr std::string_view kDeviceSection = "__attribute__((section(\"warpfuzz.device\")))",
                           kManagedSection = "__attribute__((section(\"warpfuzz.managed\")))";

// `__device__ __managed__ int x;` in either order: host code may touch it.
bool is_managed(const TokenText& t, std::size_t declaration) {
  for (std::size_t i = declaration; i < t.size() && !t.is(i, ';') && !t.is(i, '=') && !t.is(i, '{'); ++i) {
    if (is_mark(t, i, kManagedMark)) return true;
  }
  return false;
}

// From the start of a declaration that has a mark: is it a variable that can change?
bool changing_variable(const TokenText& t, std::size_t i) {
  bool constant = false;
  for (; i < t.size(); ++i) {
    const Token& k = t.tokens[i];
    if (k.kind == TokenKind::identifier) {
      if (t.is(i, "constexpr") || t.is(i, "using") || t.is(i, "typedef") || t.is(i, "friend")) return false;
      if (t.is(i, "const")) constant = true;
      if (t.is(i, "operator")) return false;
      if (t.is(i + 1, '(') &&
          (t.is(i, "__attribute__") || t.is(i, "alignas") || t.is(i, "decltype") || t.is(i, "__declspec"))) {
        i = t.match[i + 1];
      }
      if (t.is(i + 1, '<')) {  // template parameters or arguments: no comparison can stand here
        const std::size_t end = skip_angles(t, i + 1, t.size());
        if (end != TokenText::npos) i = end - 1;
      }
      continue;
    }
    if (t.is(i, '*')) constant = false;  // a pointer: only a const after it counts
    if (t.is(i, '(')) {
      // (*f)(...) is a pointer to a function or array; anything else is a parameter list.
      if (!t.is(i + 1, '*')) return false;
      constant = t.is(t.match[i] - 2, "const");
      return !constant;
    }
    if (t.is(i, ';') || t.is(i, '=') || t.is(i, '[') || t.is(i, ',')) return !constant;
    if (t.is(i, '{')) {
      if (i > 0 && (t.is(i - 1, "struct") || t.is(i - 1, "union") || t.is(i - 2, "struct") || t.is(i - 2, "union"))) {
        i = t.match[i];  // the variable of a type defined in place
        continue;
      }
      return !constant;
    }
  }
  return false;
}

}  // namespace

std::size_t rewrite_device_variables(const TokenText& t, const Scopes& scopes, Edits& edits) {
  std::size_t count = 0;
  std::size_t next = 0;                  // into scopes.declarations
  std::uint32_t done = TokenText::npos;  // the declaration that has its attribute already
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (t.tokens[i].first != '_' || t.tokens[i].length < 19) continue;
    if (is_mark(t, i, kGlobalMark)) {
      // Its body is inlined where it is launched; without internal linkage a copy that never runs would stay.
      edits.replace(i, "__attribute__((internal_linkage))");
      continue;
    }
    if (!is_mark(t, i, kDeviceMark) && !is_mark(t, i, kConstantMark) && !is_mark(t, i, kManagedMark)) continue;
    // Declarations were noted in the order of their marks, for those outside functions and classes.
    const bool noted = next < scopes.marks.size() && scopes.marks[next].token == i;
    const std::uint32_t declaration = noted ? scopes.marks[next++].declaration : TokenText::npos;
    if (noted && declaration != done && changing_variable(t, declaration)) {
      edits.replace(i, std::string(is_managed(t, declaration) ? kManagedSection : kDeviceSection));
      done = declaration;
      ++count;
    } else {
      edits.remove(i);
    }
  }
  return count;
}

}  // namespace warpfuzz::rewrite
