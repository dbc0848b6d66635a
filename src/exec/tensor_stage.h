// How a backend stages the tensors of a case: where each lies in its storage, what the storage holds before a call, and what is
// read back after it. The decisions that both backends share; where the bytes live is theirs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "exec/tensor_image.h"

namespace warpfuzz {

// What a call finds in the storage of a tensor.
enum class Start : std::uint8_t {
  kept,    // what the call before left there: a workspace's second call
  poison,  // one pattern from end to end
  image,   // contents of its own
};

struct StagedTensor {
  TensorLayout layout;
  Role role = Role::in;

  bool padded() const { return layout.storage_elements != layout.elements; }
  bool dense() const { return layout.contiguous() && !padded(); }  // the storage is the row-major elements, no more
  bool read_only() const { return role == Role::in; }
  bool filled() const { return role == Role::in || role == Role::inout; }  // with the case's values
  Start start(std::size_t call) const;
  // Poison of the whole storage where it starts so, and of what lies around the elements else; variant as in poison.h.
  std::uint64_t poison(int variant) const;
  // The logical elements of this storage, row-major, as a CallOutput has them.
  void read(const std::byte* storage, std::vector<std::byte>& elements) const;
  // What a call wrote where it may not; nothing where before and after agree.
  std::optional<StorageChange> change(const RunInput& in, std::size_t tensor, std::size_t call, const std::byte* before,
                                      const std::byte* after) const {
    return find_change(layout, in.schema->tensors[tensor].name, read_only(), call, before, after);
  }
};
// Tensor k of the schema, in the layout that the case gives it.
StagedTensor stage_tensor(const RunInput& in, std::size_t k);

// The bytes of a storage before a call, in memory that is kept from case to case.
class StorageImage {
 public:
  // Until the next call of this object.
  std::span<const std::byte> make(const RunInput& in, std::size_t k, const StagedTensor& tensor, std::size_t call);
  // The same straight to where they belong; `to` has layout.storage_bytes().
  void write(const RunInput& in, std::size_t k, const StagedTensor& tensor, std::size_t call, std::byte* to);

 private:
  std::vector<std::byte> elements_, storage_;
};

}  // namespace warpfuzz
