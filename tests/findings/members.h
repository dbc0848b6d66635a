// Every member of a finding, for tests that must not miss one: the bindings below stop compiling when a struct gets a
// member that they do not name. fill() sets each to a value of its own, expect_same() compares each.
#pragma once
#include <gtest/gtest.h>

#include <concepts>
#include <cstring>
#include <tuple>

#include "findings/finding.h"

namespace warpfuzz::members {

inline auto of(Place& p) {
  auto& [kernel, block, thread, file, line] = p;
  return std::tie(kernel, block, thread, file, line);
}
inline auto of(WrongElement& w) {
  auto& [tensor, element, at, got, reference, lo, hi, ratio, exact, ulps, poison, carries] = w;
  return std::tie(tensor, element, at, got, reference, lo, hi, ratio, exact, ulps, poison, carries);
}
inline auto of(Verdict& v) {
  auto& [fault, suspect, total, wrong, beyond, exact, uninitialised, unspecified, nan_expected, nan_got, inf_expected,
         inf_got, zero, subnormal, max_ratio, sensitivity, worst, kind, const_ratio, location, shape_class] = v;
  return std::tie(fault, suspect, total, wrong, beyond, exact, uninitialised, unspecified, nan_expected, nan_got,
                  inf_expected, inf_got, zero, subnormal, max_ratio, sensitivity, worst, kind, const_ratio, location,
                  shape_class);
}
inline auto of(ErrorCounts& c) {
  auto& [runs, failed, drift, wholly_unspecified, elements, over, nan_expected, nan_got, inf_expected, inf_got,
         unspecified] = c;
  return std::tie(runs, failed, drift, wholly_unspecified, elements, over, nan_expected, nan_got, inf_expected, inf_got,
                  unspecified);
}
inline auto of(Distribution& d) {
  auto& [max, mean, p50, p90, p99, p999] = d;
  return std::tie(max, mean, p50, p90, p99, p999);
}
inline auto of(ErrorRecord& r) {
  auto& [counts, measured, absolute, relative, ulps, ratios] = r;
  return std::tie(counts, measured, absolute, relative, ulps, ratios);
}
inline auto of(TensorSnapshot& t) {
  auto& [name, role, dtype, shape, data, hash, tensor, call] = t;
  return std::tie(name, role, dtype, shape, data, hash, tensor, call);
}
inline auto of(Finding& f) {
  auto& [target, op, backend, fault, place, message, bytes, text, summary, verdict, attributes, allowance, errors,
         inputs, outputs, table_version, compiler, device, created, executions, seed, variant] = f;
  return std::tie(target, op, backend, fault, place, message, bytes, text, summary, verdict, attributes, allowance,
                  errors, inputs, outputs, table_version, compiler, device, created, executions, seed, variant);
}

template <class T>
concept Struct = requires(T& t) { of(t); };

// ---- a value of its own for each ----

struct Filler {
  unsigned n = 0;

  void operator()(std::string& s) { s = "text" + std::to_string(++n); }
  void operator()(bool& b) { b = true; }
  template <class T>
    requires std::is_arithmetic_v<T>
  void operator()(T& x) {
    x = static_cast<T>(++n);
  }
  void operator()(std::byte& b) { b = static_cast<std::byte>(++n); }
  void operator()(FaultClass& f) { f = FaultClass::race; }
  void operator()(DType& t) { t = DType::u8; }
  void operator()(ErrorKind& k) { k = ErrorKind::gross; }
  void operator()(ErrorPlace& p) { p = ErrorPlace::tail_block; }
  template <class T, std::size_t N>
  void operator()(T (&a)[N]) {
    for (T& x : a) (*this)(x);
  }
  template <class T, std::size_t N>
  void operator()(std::array<T, N>& a) {
    for (T& x : a) (*this)(x);
  }
  template <class T>
  void operator()(std::vector<T>& list) {
    list.resize(2);
    for (T& x : list) (*this)(x);
  }
  void operator()(std::map<std::string, std::string>& m) { m = {{"kind", "gross"}, {"run", "other order"}}; }
  template <Struct T>
  void operator()(T& part) {
    std::apply([this](auto&... member) { ((*this)(member), ...); }, of(part));
  }
};

// ---- comparison ----

inline void expect_same(double a, double b, const std::string& where) {
  EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0) << where << ": " << a << " and " << b;
}
template <class T>
void expect_same(T& a, T& b, const std::string& where) {
  if constexpr (Struct<T>) {
    const auto left = of(a), right = of(b);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (expect_same(std::get<I>(left), std::get<I>(right), where + "." + std::to_string(I)), ...);
    }(std::make_index_sequence<std::tuple_size_v<decltype(left)>>{});
  } else if constexpr (std::is_array_v<T> || std::same_as<T, std::vector<TensorSnapshot>>) {
    ASSERT_EQ(std::size(a), std::size(b)) << where;
    for (std::size_t i = 0; i < std::size(a); ++i) expect_same(a[i], b[i], where + "[" + std::to_string(i) + "]");
  } else {
    EXPECT_TRUE(a == b) << where;
  }
}

}  // namespace warpfuzz::members
