// The name that people know a kernel by.
#pragma once
#include <string>
#include <string_view>

namespace warpfuzz {

// Of a signature or of what stands before <<<: "void ns::softmax<float>(float const*, int)" and "&ns::softmax<float>" are "softmax".
std::string plain_kernel_name(std::string_view text);

}  // namespace warpfuzz
