// Constructs that the executor cannot run, found before the compiler runs, so that each is one line with its place.
#include "toolchain/rewriter/unsupported.h"

#include <bitset>
#include <string>

namespace warpfuzz::rewrite {
namespace {

constexpr UnsupportedName kNames[] = {
    {"asm", Refused::device, "inline PTX (asm)"},
    {"__asm__", Refused::device, "inline PTX (asm)"},
    {"__asm", Refused::device, "inline PTX (asm)"},
    {"cudaTextureObject_t", Refused::name, "textures"},
    {"cudaSurfaceObject_t", Refused::name, "surfaces"},
    {"texture", Refused::reference, "textures"},
    {"surface", Refused::reference, "surfaces"},
    {"tex1D", Refused::call, "textures"},
    {"tex2D", Refused::call, "textures"},
    {"tex3D", Refused::call, "textures"},
    {"surf1D", Refused::call, "surfaces"},
    {"surf2D", Refused::call, "surfaces"},
    {"surf3D", Refused::call, "surfaces"},
    {"nvcuda", Refused::name, "tensor-core fragments (nvcuda::wmma)"},
    {"cluster_group", Refused::name, "thread block clusters"},
    {"this_cluster", Refused::name, "thread block clusters"},
    {"__cluster_dims__", Refused::name, "thread block clusters (__cluster_dims__)"},
    {"__warpfuzz_cluster_dims__", Refused::name, "thread block clusters (__cluster_dims__)"},
    {"cluster_dims", Refused::name, "thread block clusters (__cluster_dims__)"},
    {"__warpfuzz_unsupported__", Refused::mark, ""},
    {"diagnose_if", Refused::attribute, ""},
};

std::string message(std::string_view what) {
  const bool one = what.starts_with("inline") || what.starts_with("a ");
  return std::string(what) + (one ? " is" : " are") + " not supported by the CPU executor";
}

std::string unquoted(std::string_view s) {
  return s.size() >= 2 ? std::string(s.substr(1, s.size() - 2)) : std::string(s);
}

// Tokens of a whole program pass by here: most of them are done with by their first character.
class Refusal {
 public:
  Refusal(const TokenText& t, const Scopes& scopes, std::span<const UnsupportedName> names)
      : t_(t), scopes_(scopes), names_(names) {
    for (const UnsupportedName& n : names) begins_.set(static_cast<unsigned char>(n.text.front()));
  }

  void look(std::size_t i) {
    const Token& k = t_.tokens[i];
    if (k.kind == TokenKind::punct) {
      if (k.length == 2 && t_.is(i, "<<") && t_.is(i + 1, '<') && !t_.is(i - 1, "operator") && in_device_code(i))
        t_.fail(i, message("a kernel launch from device code"));
      return;
    }
    if (k.kind != TokenKind::identifier || !begins_.test(static_cast<unsigned char>(k.first))) return;
    if (t_.in_system_header(k.offset)) return;
    for (const UnsupportedName& n : names_) check(i, n);
  }

 private:
  void check(std::size_t i, const UnsupportedName& n) {
    const std::string_view s = t_.str(i);
    if (n.where == Refused::call ? !s.starts_with(n.text) : s != n.text) return;
    switch (n.where) {
      case Refused::name: break;
      case Refused::call:
        if (s != n.text && !t_.is(i + 1, '(') && !t_.is(i + 1, '<')) return;
        break;
      case Refused::device:
        if (!in_device_code(i)) return;
        break;
      case Refused::reference:
        if (!declares_variable(i)) return;
        break;
      case Refused::mark:
        if (t_.is(i + 1, '(')) t_.fail(i, message(unquoted(t_.str(i + 2))));
        return;
      case Refused::attribute:
        if (t_.is(i + 1, '(') && t_.is(i + 2, "true") && t_.is(i + 3, ',')) fail_with_our_words(i, t_.str(i + 4));
        return;
    }
    t_.fail(i, message(n.what));
  }

  bool in_device_code(std::size_t i) { return scopes_.all[scopes_.at(i, hint_)].device; }

  // `name<...> identifier`, and no comparison.
  bool declares_variable(std::size_t i) const {
    if (!t_.is(i + 1, '<')) return false;
    const std::size_t end = skip_angles(t_, i + 1, t_.size());
    return end != TokenText::npos && t_.identifier(end);
  }

  void fail_with_our_words(std::size_t i, std::string_view literal) const {
    constexpr std::string_view kOurs = "warpfuzz: ";
    const std::string text = unquoted(literal);
    if (text.starts_with(kOurs)) t_.fail(i, text.substr(kOurs.size()));
  }

  const TokenText& t_;
  const Scopes& scopes_;
  std::span<const UnsupportedName> names_;
  std::bitset<256> begins_;  // first characters of the names
  std::uint32_t hint_ = 0;   // the scope that was found last
};

}  // namespace

std::span<const UnsupportedName> unsupported_names() { return kNames; }

void reject_unsupported(const TokenText& t, const Scopes& scopes, std::span<const UnsupportedName> names) {
  Refusal refusal(t, scopes, names);
  for (std::size_t i = 0; i < t.size(); ++i) refusal.look(i);
}

}  // namespace warpfuzz::rewrite
