// The fields of a .wfz header, each named once (docs/findings.md has the table): what writes a header and what reads it
// visit the same lists, so that neither can forget a field that the other knows.
//
// A visitor `v` takes v(key, member) for every kind of member below, and
//   v(key, integer, absent)   an integer whose absence means another value than 0
//   v.lines(key, text)        a text of several lines
//   v.hash(key, integer)      shown as 16 hexadecimal digits
//   v.blob(key, bytes)        bytes that lie behind the header: their length stands in it
//   v.tensors(key, list)
// Members with their default value are left out of the header.
#pragma once
#include <concepts>
#include <type_traits>

#include "findings/finding.h"

namespace warpfuzz {

// T, const for what writes and not for what reads.
template <class T, class Of>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Of>;

template <class V, MaybeConst<Place> P>
void fields(V& v, P& p) {
  v("k", p.kernel);
  v("b", p.block);
  v("t", p.thread);
  v("f", p.file);
  v("l", p.line);
}

template <class V, MaybeConst<WrongElement> W>
void fields(V& v, W& w) {
  v("t", w.tensor, -1);
  v("e", w.element);
  v("at", w.at);
  v("y", w.got);
  v("r", w.reference);
  v("lo", w.lo);
  v("hi", w.hi);
  v("x", w.ratio);
  v("eq", w.exact);
  v("ulp", w.ulps);
  v("poison", w.got_bits_are_poison);
  v("mem", w.carries);
}

template <class V, MaybeConst<Verdict> R>
void fields(V& v, R& r) {
  v("f", r.fault);
  v("suspect", r.suspect);
  v("n", r.total);
  v("bad", r.wrong);
  v("tight", r.beyond_tight);
  v("eq", r.exact);
  v("unin", r.uninitialised);
  v("any", r.unspecified);
  v("nr", r.nan_expected);
  v("ny", r.nan_got);
  v("ir", r.inf_expected);
  v("iy", r.inf_got);
  v("zero", r.zero);
  v("sub", r.subnormal);
  v("x", r.max_ratio);
  v("sens", r.sensitivity);
  v("w", r.worst);
  v("kind", r.kind);
  v("cr", r.const_ratio);
  v("loc", r.location);
  v("sc", r.shape_class);
}

template <class V, MaybeConst<TensorSnapshot> T>
void fields(V& v, T& t) {
  v("n", t.name);
  v("r", t.role);
  v("d", t.dtype);
  v("s", t.shape);
  v.blob("len", t.data);
  v.hash("h", t.hash);
  v("i", t.tensor, -1);
  v("c", t.call);
}

template <class V, MaybeConst<Finding> F>
void fields(V& v, F& f) {
  v("target", f.target);
  v("op", f.op);
  v("backend", f.backend);
  v("fault", f.fault);
  v("place", f.place);
  v("var", f.variant);
  v("msg", f.message);
  v.lines("text", f.text);
  v("sum", f.summary);
  v("v", f.verdict);
  v("attr", f.attributes);
  v("allow", f.allowance);
  v("err", f.errors);
  v("tv", f.table_version);
  v("cc", f.compiler);
  v("dev", f.device);
  v("at", f.created);
  v("runs", f.executions);
  v("seed", f.seed);
  v.blob("case", f.bytes);
  v.tensors("in", f.inputs);
  v.tensors("out", f.outputs);
}

}  // namespace warpfuzz
