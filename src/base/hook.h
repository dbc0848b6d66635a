// A call to make later, with the object that it is about. Two plain words: a signal handler may copy and call them, where
// std::function may allocate.
#pragma once
#include <utility>

namespace warpfuzz {

template <class Signature>
class Hook;  // Hook<bool(const char*)>: takes a text and answers

template <class Result, class... Arguments>
class Hook<Result(Arguments...)> {
 public:
  using Function = Result (*)(void* context, Arguments...);

  constexpr Hook() = default;  // nobody is asked
  constexpr Hook(Function function, void* context) : function_(function), context_(context) {}

  // Hook<void(int)>::to<&Campaign::stop>(campaign) calls campaign.stop(number). The object outlives the hook.
  template <auto Method, class Object>
  static constexpr Hook to(Object& object) {
    return {[](void* context, Arguments... arguments) -> Result {
              return (static_cast<Object*>(context)->*Method)(std::forward<Arguments>(arguments)...);
            },
            &object};
  }

  explicit operator bool() const { return function_ != nullptr; }
  Result operator()(Arguments... arguments) const { return function_(context_, std::forward<Arguments>(arguments)...); }

 private:
  Function function_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace warpfuzz
