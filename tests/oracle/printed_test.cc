// The text of printed tensors, against what PyTorch shows.
#include "oracle/printed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace warpfuzz {
namespace {

std::string printed(std::vector<double> values, std::vector<std::uint32_t> shape) {
  return printed_tensor(values, shape);
}

TEST(Printed, FourDigitsAndAlignedColumns) {
  EXPECT_EQ(printed({0.1, 0.25}, {2}), "[0.1000, 0.2500]");
  EXPECT_EQ(printed({-1.5, 10.25}, {2}), "[-1.5000, 10.2500]");
  EXPECT_EQ(printed({1.12345}, {1}), "[1.1235]");
  EXPECT_EQ(printed({0.5, NAN, INFINITY}, {3}), "[0.5000,    nan,    inf]");
}
TEST(Printed, WholeNumbersHaveADotOnly) {
  EXPECT_EQ(printed({1, 2, -3}, {3}), "[ 1.,  2., -3.]");
  EXPECT_EQ(printed({0, 0}, {2}), "[0., 0.]");
  EXPECT_EQ(printed({1, INFINITY}, {2}), "[1., inf]");
}
TEST(Printed, ScientificWhereMagnitudesSpanMore) {
  EXPECT_EQ(printed({1e-5, 0.5}, {2}), "[1.0000e-05, 5.0000e-01]");
  EXPECT_EQ(printed({1, 2000}, {2}), "[1.0000e+00, 2.0000e+03]");
  EXPECT_EQ(printed({0.5, 500}, {2}), "[  0.5000, 500.0000]") << "1000 times as much is not more";
}
TEST(Printed, MatricesAndLongLines) {
  EXPECT_EQ(printed({1.5, 2, 3, 4}, {2, 2}), "[[1.5000, 2.0000],\n        [3.0000, 4.0000]]");
  EXPECT_EQ(printed({1.5, 2, 3, 4}, {2, 1, 2}), "[[[1.5000, 2.0000]],\n\n        [[3.0000, 4.0000]]]");
  const std::string line = "0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000";
  EXPECT_EQ(printed(std::vector<double>(11, 0.5), {11}), "[" + line + ",\n        0.5000, 0.5000]");
}
TEST(Printed, MoreThanAThousandAreSummarised) {
  EXPECT_EQ(printed(std::vector<double>(1001, 0.5), {1001}), "[0.5000, 0.5000, 0.5000,  ..., 0.5000, 0.5000, 0.5000]");
  EXPECT_EQ(printed(std::vector<double>(1001, 0.5), {1, 1001}),
            "[[0.5000, 0.5000, 0.5000,  ..., 0.5000, 0.5000, 0.5000]]");
  const std::string row = "[0.5000, 0.5000]", next = ",\n        ";
  EXPECT_EQ(printed(std::vector<double>(1002, 0.5), {501, 2}),
            "[" + row + next + row + next + row + next + "..." + next + row + next + row + next + row + "]");
  EXPECT_EQ(printed(std::vector<double>(1000, 0.5), {1000}).find("..."), std::string::npos);
}
TEST(Printed, WhatIsNotShownDoesNotChooseTheFormat) {
  std::vector<double> v(2000, 0.5);
  v[1000] = 1e9;
  EXPECT_EQ(printed(v, {2000}), "[0.5000, 0.5000, 0.5000,  ..., 0.5000, 0.5000, 0.5000]");
}
TEST(Printed, NothingAndOne) {
  EXPECT_EQ(printed({}, {0}), "[]");
  EXPECT_EQ(printed({0.5}, {}), "0.5000");
}

}  // namespace
}  // namespace warpfuzz
