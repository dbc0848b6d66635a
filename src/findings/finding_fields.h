// The fields of a .wfz header, each named once (base/fields/form.h). Names are short and defaults left out, since a small
// finding must stay below 2 KiB. docs/findings.md has the table.
#pragma once
#include "base/fields/form.h"
#include "findings/error_fields.h"
#include "findings/field_types.h"
#include "findings/finding.h"

namespace warpfuzz {

template <class V, MaybeConst<Place> P>
void fields(V& v, P& p) {
  v("k", p.kernel, "kernel");
  v("b", p.block, "block: x, y, z; trailing zeros are left out, as in every list of a fixed length");
  v("t", p.thread, "thread");
  v("f", p.file, "file, as the compiler saw it");
  v("l", p.line, "line");
}

template <class V, MaybeConst<WrongElement> W>
void fields(V& v, W& w) {
  v.unless("t", w.tensor, -1, "index of its tensor in the schema; absent: there is none");
  v("e", w.element, "row-major index");
  v("at", w.at, "coordinates");
  v("y", w.got, "the output");
  v("r", w.reference, "the reference");
  v("lo", w.lo, "smallest value allowed");
  v("hi", w.hi, "largest value allowed");
  v("x", w.ratio, "error / bound");
  v("eq", w.exact, "compared bit for bit");
  v("ulp", w.ulps, "steps from what is allowed; 0 of integers");
  v("poison", w.got_bits_are_poison, "the output is the pattern of memory that nobody wrote");
  v("mem", w.carries, "a NaN that comes from memory that nobody wrote: which memory");
}

template <class V, MaybeConst<Verdict> R>
void fields(V& v, R& r) {
  v("f", r.fault, "fault class of the outputs");
  v("suspect", r.suspect, "beyond the tight bound alone");
  v("n", r.total, "elements judged");
  v("bad", r.wrong, "wrong ones");
  v("tight", r.beyond_tight, "ones beyond the tight bound");
  v("eq", r.exact, "ones compared bit for bit");
  v("unin", r.uninitialised, "wrong ones that hold memory which nobody wrote");
  v("any", r.unspecified, "ones on which everything is accepted, by reason");
  v("nr", r.nan_expected, "NaN in the reference");
  v("ny", r.nan_got, "NaN in the output");
  v("ir", r.inf_expected, "Inf in the reference");
  v("iy", r.inf_got, "Inf in the output");
  v("zero", r.zero, "zeros in the output");
  v("sub", r.subnormal, "subnormals in the output");
  v("x", r.max_ratio, "largest error / bound");
  v("sens", r.sensitivity, "largest bound / largest output");
  v("w", r.worst, "the worst element");
  v("kind", r.kind, "attribute `kind`");
  v("cr", r.const_ratio, "of the kind const-ratio: y / r");
  v("loc", r.location, "attribute `location`");
  v("sc", r.shape_class, "attribute `shape`, a word a dim");
}

constexpr Title title_of(const TensorSnapshot&) { return {"tensor of a file", "findings.md"}; }

template <class V, MaybeConst<TensorSnapshot> T>
void fields(V& v, T& t) {
  v("n", t.name, "name");
  v("r", t.role, "role");
  v.needed("d", t.dtype, "dtype");
  v("s", t.shape, "shape");
  v.blob("len", t.data, "bytes of data; absent: not stored");
  v.hash("h", t.hash, "hash of the data, which is checked");
  v.unless("i", t.tensor, -1, "index in the schema");
  v("c", t.call, "call");
}

template <class V, MaybeConst<Finding> F>
void fields(V& v, F& f) {
  v("target", f.target, "its name: letters, digits, `_`, `-` and `.` only");
  v("op", f.op, "the operator");
  v("backend", f.backend, "`cpu` or `cuda`");
  v("fault", f.fault, "class, as in the key");
  v("place", f.place, "where in the kernel");
  v("var", f.variant, "variant; absent in files from before there were any, and where the class has none");
  v("msg", f.message, "message");
  v.lines("text", f.text, "the case as text: the stable form");
  v("sum", f.summary, "one-line summary");
  v("v", f.verdict, "the verdict");
  v("attr", f.attributes, "the attributes");
  v("allow", f.allowance, "parts of the allowance");
  v.when(f.errors.counts.elements > 0, "err", f.errors, "of the run that failed, where one was judged");
  v("tv", f.table_version, "version of the tolerance table");
  v("cc", f.compiler, "compiler of the kernel");
  v("dev", f.device, "device");
  v("at", f.created, "time (UTC)");
  v("runs", f.executions, "execution of the campaign");
  v("seed", f.seed, "seed of the campaign");
  v.blob("case", f.bytes, "length of the case bytes");
  v("in", f.inputs, "the inputs");
  v("out", f.outputs, "the outputs");
}

}  // namespace warpfuzz
