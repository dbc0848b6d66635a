// What a call finds in a tensor's storage, and what is read back: the decisions that both backends share.
#include "exec/tensor_stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "schema/schema.h"

namespace warpfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// x[2, 3] -> y[2, 3], with acc[2] read and written and work[3] to use, in fp32.
class TensorStage : public ::testing::Test {
 protected:
  TensorStage() {
    schema_.op = "stage";
    schema_.dtypes = {same_dtype(DType::f32)};
    schema_.dims = {{"rows", 8}, {"cols", 8}};
    const auto tensor = [](const char* name, Role role, std::vector<int> shape) {
      TensorSpec t;
      t.name = name;
      t.role = role;
      t.shape = std::move(shape);
      t.type = TensorType::in;
      t.layouts = {true, true, true};
      return t;
    };
    schema_.tensors = {tensor("x", Role::in, {0, 1}), tensor("y", Role::out, {0, 1}), tensor("acc", Role::inout, {0}),
                       tensor("work", Role::workspace, {1})};
    case_.dims[0] = 2;
    case_.dims[1] = 3;
    calls_.resize(2);
    for (CallInput& call : calls_) call.values.resize(4);
    calls_[0].values[0] = {1, 2, 3, 4, 5, 6};
    calls_[1].values[0] = {7, 8, 9, 10, 11, 12};
    calls_[0].values[2] = calls_[1].values[2] = {20, 21};
    in_.schema = &schema_;
    in_.test_case = &case_;
    in_.calls = calls_;
  }
  StagedTensor stage(std::size_t k, Layout layout = Layout::contiguous) {
    case_.tensors[k].layout = layout;
    return stage_tensor(in_, k);
  }
  std::vector<std::uint32_t> made(std::size_t k, Layout layout, std::size_t call = 0) {
    const auto bytes = image_.make(in_, k, stage(k, layout), call);
    std::vector<std::uint32_t> words(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), bytes.size());
    return words;
  }
  static std::uint32_t poison(PoisonKind kind, int variant = 0) {
    return static_cast<std::uint32_t>(poison_bits(DType::f32, kind, variant));
  }

  Schema schema_;
  TestCase case_{};
  std::vector<CallInput> calls_;
  RunInput in_;
  StorageImage image_;
};
enum : std::size_t { kX, kY, kAcc, kWork };

std::uint32_t bits(float v) {
  std::uint32_t b;
  std::memcpy(&b, &v, 4);
  return b;
}

TEST_F(TensorStage, WhatACallStartsFromFollowsTheRoleAndTheLayout) {
  for (const std::size_t call : {0, 1}) {
    EXPECT_EQ(stage(kX).start(call), Start::image);
    EXPECT_EQ(stage(kAcc).start(call), Start::image);
    EXPECT_EQ(stage(kY).start(call), Start::poison);
    EXPECT_EQ(stage(kY, Layout::padded).start(call), Start::image) << "the padding has poison of its own";
    EXPECT_EQ(stage(kWork).start(call), call == 0 ? Start::poison : Start::kept);
    EXPECT_EQ(stage(kWork, Layout::offset).start(call), call == 0 ? Start::image : Start::kept);
  }
}

TEST_F(TensorStage, PoisonTellsWhatItFills) {
  for (const int variant : {0, 1}) {
    EXPECT_EQ(stage(kY).poison(variant), poison(PoisonKind::output, variant));
    EXPECT_EQ(stage(kWork).poison(variant), poison(PoisonKind::workspace, variant));
    EXPECT_EQ(stage(kX).poison(variant), poison(PoisonKind::padding, variant));
    EXPECT_EQ(stage(kY, Layout::padded).poison(variant), poison(PoisonKind::padding, variant));
  }
}

TEST_F(TensorStage, AnImageHoldsTheCallsValuesInTheirLayout) {
  EXPECT_THAT(made(kX, Layout::contiguous), ElementsAre(bits(1), bits(2), bits(3), bits(4), bits(5), bits(6)));
  EXPECT_EQ(made(kX, Layout::contiguous, 1)[0], bits(7));
  const std::uint32_t pad = poison(PoisonKind::padding);
  EXPECT_THAT(made(kX, Layout::offset), ElementsAre(pad, bits(1), bits(2), bits(3), bits(4), bits(5), bits(6)));
  const auto padded = made(kX, Layout::padded);
  ASSERT_EQ(padded.size(), 3 + 8 + 3u);
  EXPECT_EQ(padded[2], bits(3));
  for (std::size_t i = 3; i < 11; ++i) EXPECT_EQ(padded[i], pad);
  EXPECT_EQ(padded[11], bits(4));
}

TEST_F(TensorStage, WhatIsToBeWrittenIsPoisonBetweenOtherPoison) {
  in_.poison_variant = 1;
  const auto words = made(kY, Layout::offset);
  EXPECT_EQ(words[0], poison(PoisonKind::padding, 1));
  for (std::size_t i = 1; i < words.size(); ++i) EXPECT_EQ(words[i], poison(PoisonKind::output, 1));
}

TEST_F(TensorStage, WritesWhatItMakes) {
  for (const Layout layout : {Layout::contiguous, Layout::offset, Layout::padded}) {
    for (const std::size_t k : {kX, kY, kAcc, kWork}) {
      const StagedTensor t = stage(k, layout);
      std::vector<std::byte> written(t.layout.storage_bytes());
      image_.write(in_, k, t, 0, written.data());
      const auto made = image_.make(in_, k, t, 0);
      EXPECT_EQ(written, std::vector<std::byte>(made.begin(), made.end()));
    }
  }
}

TEST_F(TensorStage, ReadsTheElementsAlone) {
  for (const Layout layout : {Layout::contiguous, Layout::offset, Layout::padded}) {
    const StagedTensor t = stage(kX, layout);
    std::vector<std::byte> elements;
    t.read(image_.make(in_, kX, t, 0).data(), elements);
    ASSERT_EQ(elements.size(), 24u);
    float values[6];
    std::memcpy(values, elements.data(), sizeof values);
    EXPECT_THAT(values, ElementsAre(1, 2, 3, 4, 5, 6));
  }
}

TEST_F(TensorStage, NamesAChangeAndItsCall) {
  const StagedTensor t = stage(kX, Layout::offset);
  const auto made = image_.make(in_, kX, t, 1);
  std::vector<std::byte> after(made.begin(), made.end());
  EXPECT_FALSE(t.change(in_, kX, 1, made.data(), after.data()));
  after[0] ^= std::byte{1};
  const auto padding = t.change(in_, kX, 1, made.data(), after.data());
  ASSERT_TRUE(padding);
  EXPECT_EQ(padding->fault, FaultClass::oob_write);
  after[0] ^= std::byte{1};
  after[4 * 2] ^= std::byte{1};
  const auto input = t.change(in_, kX, 1, made.data(), after.data());
  ASSERT_TRUE(input);
  EXPECT_EQ(input->fault, FaultClass::input_changed);
  EXPECT_THAT(input->message, HasSubstr("input x[0,1] was changed: 8 before the call"));
  EXPECT_THAT(input->message, HasSubstr("(second call)"));
}

TEST_F(TensorStage, RefusesValuesThatDoNotFit) {
  calls_[0].values[0].pop_back();
  EXPECT_EXIT(made(kX, Layout::contiguous), ::testing::ExitedWithCode(83),
              "internal: tensor x has 6 elements, got 5 values");
}

}  // namespace
}  // namespace warpfuzz
