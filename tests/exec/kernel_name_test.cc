// The name of a kernel, out of signatures and of what stands before <<<.
#include "exec/kernel_name.h"

#include <gtest/gtest.h>

namespace warpfuzz {
namespace {

TEST(KernelName, OfSignatures) {
  EXPECT_EQ(plain_kernel_name("softmax(float const*, int)"), "softmax");
  EXPECT_EQ(plain_kernel_name("void ns::softmax<float>(float const*, int)"), "softmax");
  EXPECT_EQ(plain_kernel_name("void ns::softmax<float, (ns::Mode)1>(float const*, int)"), "softmax");
  EXPECT_EQ(plain_kernel_name("std::enable_if<true, void>::type ns::copy<a::b<int> >(int)"), "copy");
}

TEST(KernelName, OfWhatIsLaunched) {
  EXPECT_EQ(plain_kernel_name("softmax"), "softmax");
  EXPECT_EQ(plain_kernel_name("ns::softmax<float>"), "softmax");
  EXPECT_EQ(plain_kernel_name("&ns::softmax <T, 4>"), "softmax");
  EXPECT_EQ(plain_kernel_name("(softmax<T>)"), "softmax");
  EXPECT_EQ(plain_kernel_name("(*kernel) "), "kernel");
  EXPECT_EQ(plain_kernel_name("copy<a::b>"), "copy");
  EXPECT_EQ(plain_kernel_name(""), "");
  EXPECT_EQ(plain_kernel_name(" (*&"), "");
}

}  // namespace
}  // namespace warpfuzz
