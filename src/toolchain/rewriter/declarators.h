// Taking a variable declaration apart: specifiers, attributes, and the name inside each declarator.
#pragma once
#include <string>
#include <vector>

#include "toolchain/rewriter/lexer.h"

namespace warpfuzz::rewrite {

struct Declarator {
  std::size_t name;  // token
  bool unsized;      // T name[]
};

struct Declaration {
  std::size_t first, last;  // its first token and its ';'
  bool is_extern = false;
  std::vector<std::size_t> storage;  // tokens static, extern, thread_local, inline, register
  std::vector<std::pair<std::size_t, std::size_t>>
      attributes;  // [first, last) of alignas(..), __attribute__((..)), [[..]], __declspec(..)
  std::vector<Declarator> declarators;
  std::string alignment;  // the attributes that align, to stand in `struct <alignment> X {};`, or empty
};

// The declaration around a mark that is one of its specifiers. Throws where it has an initialiser or cannot be read.
Declaration read_declaration(const TokenText& t, std::size_t mark, std::string_view what);

}  // namespace warpfuzz::rewrite
