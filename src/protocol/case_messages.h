// Messages about one case: its bytes and its text, simpler cases, its features.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/fields/form.h"
#include "findings/field_types.h"

namespace warpfuzz {

struct Encoded {
  Bytes bytes;
  std::string expect;
};
template <class V, MaybeConst<Encoded> E>
void fields(V& v, E& e) {
  v("bytes", e.bytes, "the case");
  v("expect", e.expect, "what its `expect:` line says; `pass` where there is none");
}

struct EncodeRequest {
  static constexpr const char* kCommand = "encode";
  using Answer = Encoded;
  std::string text;
};
template <class V, MaybeConst<EncodeRequest> Q>
void fields(V& v, Q& q) {
  v.constant("cmd", Q::kCommand);
  v.lines("text", q.text, "a `*.case`");
}

struct Decoded {
  Bytes bytes;
  std::string text, summary;
};
template <class V, MaybeConst<Decoded> D>
void fields(V& v, D& d) {
  v("bytes", d.bytes, "the same case, canonical");
  v.lines("text", d.text, "as a `*.case`");
  v("summary", d.summary, "in one line");
}

struct DecodeRequest {
  static constexpr const char* kCommand = "decode";
  using Answer = Decoded;
  Bytes bytes;
};
template <class V, MaybeConst<DecodeRequest> Q>
void fields(V& v, Q& q) {
  v.constant("cmd", Q::kCommand);
  v("bytes", q.bytes, "a case");
}

struct Candidates {
  std::vector<Bytes> candidates;
};
template <class V, MaybeConst<Candidates> C>
void fields(V& v, C& c) {
  v("candidates", c.candidates, "simpler cases, most promising first");
}

struct CandidatesRequest {
  static constexpr const char* kCommand = "candidates";
  using Answer = Candidates;
  Bytes bytes;
  std::optional<int> tensor;
  std::optional<std::vector<std::uint32_t>> at;
};
template <class V, MaybeConst<CandidatesRequest> Q>
void fields(V& v, Q& q) {
  v.constant("cmd", Q::kCommand);
  v("bytes", q.bytes, "a case");
  v("tensor", q.tensor, "the wrong element: its tensor's index in the schema; -1: none");
  v("at", q.at, "and its coordinates");
}

struct Features {
  std::vector<std::uint32_t> features;
  FaultClass fault = FaultClass::none;
};
template <class V, MaybeConst<Features> F>
void fields(V& v, F& f) {
  v("features", f.features, "numbers of all features that a campaign would see: ours and the kernel's bucketed edges");
  v("fault", f.fault, "`none`, or what is wrong");
}

struct FeaturesRequest {
  static constexpr const char* kCommand = "features";
  using Answer = Features;
  Bytes bytes;
};
template <class V, MaybeConst<FeaturesRequest> Q>
void fields(V& v, Q& q) {
  v.constant("cmd", Q::kCommand);
  v("bytes", q.bytes, "a case");
}

}  // namespace warpfuzz
