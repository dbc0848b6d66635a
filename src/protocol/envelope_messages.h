// What frames the answers of the line protocol: the greeting, errors, and the event of a fault that ends the process.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/fields/form.h"
#include "findings/field_types.h"

namespace warpfuzz {

inline constexpr int kProtocol = 1;

// A place with its fields spelled out; files have shorter names for them.
struct NamedPlace : Place {
  NamedPlace() = default;
  NamedPlace(Place p) : Place(std::move(p)) {}
};
constexpr Title title_of(const NamedPlace&) { return {"place", "protocol.md"}; }

template <class V, MaybeConst<NamedPlace> P>
void fields(V& v, P& p) {
  v("kernel", p.kernel, "function name without template arguments; empty: outside of a kernel");
  v("block", p.block, "its block: x, y, z");
  v("thread", p.thread, "its thread");
  v("file", p.file, "as the compiler saw it; may be empty");
  v("line", p.line, "0: not known");
}

struct Hello {
  int protocol = kProtocol;
  std::string target, op, backend, engine;
};
template <class V, MaybeConst<Hello> H>
void fields(V& v, H& h) {
  v.constant("event", "hello");
  v("protocol", h.protocol, "version of this protocol");
  v("target", h.target, "name of the target");
  v("op", h.op, "its operator");
  v("backend", h.backend, "`cpu` or `cuda`");
  v("engine", h.engine, "`libfuzzer` or `replay`");
}

struct RequestFailed {
  std::string error;
};
template <class V, MaybeConst<RequestFailed> F>
void fields(V& v, F& f) {
  v("error", f.error, "why, in one line");
}

// A fault that ends the process, as the process announces it.
struct FaultMessage {
  FaultClass fault = FaultClass::none;
  std::string key, message, summary, report;
  NamedPlace place;
  std::optional<std::uint64_t> executions;
  std::optional<std::string> save_error;
};
template <class V, MaybeConst<FaultMessage> E>
void fields(V& v, E& e) {
  v.constant("event", "fault");
  v("fault", e.fault, "its class");
  v("key", e.key, "key of the finding");
  v("message", e.message, "one line");
  v("summary", e.summary, "the case in one line");
  v.lines("report", e.report, "text for people");
  v("place", e.place, "where in the kernel");
  v("executions", e.executions, "of a request that runs many cases: the number of the one that died, from 1");
  v("save_error", e.save_error, "why the file of `save` could not be written");
}

}  // namespace warpfuzz
