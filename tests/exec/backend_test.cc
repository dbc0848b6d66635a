// The CPU backend: what a launcher sees, and what is checked after it.
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "exec/tensor_image.h"
#include "kernel_test.h"
#include "numeric/round.h"

namespace warpfuzz {
namespace {

using cpu::tid;
using ::testing::ElementsAre;
using ::testing::ExitedWithCode;
using ::testing::HasSubstr;

Schema copy_schema() {
  Schema s;
  s.op = "copy";
  s.dtypes = {same_dtype(DType::f32), same_dtype(DType::f16), mixed_dtype(DType::f16, DType::f32)};
  s.dims = {{"rows", 64}, {"cols", 64}};
  auto tensor = [](const char* name, Role role, std::vector<int> shape, TensorType type) {
    TensorSpec t;
    t.name = name;
    t.role = role;
    t.shape = std::move(shape);
    t.type = type;
    t.layouts = {true, true, false};
    return t;
  };
  s.tensors = {tensor("x", Role::in, {0, 1}, TensorType::in), tensor("y", Role::out, {0, 1}, TensorType::out),
               tensor("acc", Role::inout, {0}, TensorType::fp32),
               tensor("work", Role::workspace, {1}, TensorType::fp32)};
  s.tensors[2].optional = true;
  s.scalars = {{"eps", {0.5, 2}}};
  s.flags = {{"causal"}};
  return s;
}

class BackendTest : public ::testing::Test {
 protected:
  BackendTest() {
    case_.dims[0] = 3;
    case_.dims[1] = 5;
    call_.values.resize(4);
    for (int i = 0; i < 15; ++i) call_.values[0].push_back(static_cast<float>(i) * 0.5f);
    call_.values[2] = {10, 20, 30};
  }
  RunOutput run(const Launcher& l, int calls = 1) {
    std::vector<CallInput> in(static_cast<std::size_t>(calls), call_);
    for (int c = 1; c < calls; ++c)
      for (float& v : in[static_cast<std::size_t>(c)].values[0]) v += 100;
    RunInput input;
    input.schema = &schema_;
    input.test_case = &case_;
    input.calls = in;
    input.poison_variant = variant_;
    return this_backend().run(input, l);
  }
  // y[r][c] = x[r][c], one thread an element, by the strides of the layouts.
  void copy(const Launch& l, int only_rows = 1000) {
    const float* x = l.in<float>("x");
    float* y = l.out<float>("y");
    int cols = l.dim("cols"), rows = std::min(l.dim("rows"), only_rows);
    std::int64_t xs = l.stride("x", 0), ys = l.stride("y", 0);
    cpu::run(1, static_cast<unsigned>(rows * cols), [&] {
      unsigned r = tid() / static_cast<unsigned>(cols), c = tid() % static_cast<unsigned>(cols);
      y[r * ys + c] = x[r * xs + c];
    });
  }
  static std::vector<float> floats(const std::vector<std::byte>& bytes) {
    std::vector<float> v(bytes.size() / 4);
    if (!v.empty()) std::memcpy(v.data(), bytes.data(), bytes.size());
    return v;
  }
  Schema schema_ = copy_schema();
  TestCase case_;
  CallInput call_;
  int variant_ = 0;
};

TEST_F(BackendTest, RunsTheLauncherAndHarvestsOutputs) {
  RunOutput out = run([&](const Launch& l) {
    EXPECT_EQ(l.dim("rows"), 3);
    EXPECT_EQ(l.scalar("eps"), 0.5);
    EXPECT_FALSE(l.flag("causal"));
    EXPECT_TRUE(l.has("acc"));
    EXPECT_EQ(l.in_dtype(), DType::f32);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(l.in<float>("x")) % 256, 0u);
    copy(l);
    for (int i = 0; i < 3; ++i) l.out<float>("acc")[i] += 1;
  });
  EXPECT_EQ(out.status.fault, FaultClass::none) << out.status.message;
  ASSERT_EQ(out.calls.size(), 1u);
  EXPECT_TRUE(out.calls[0].tensors[0].empty()) << "inputs are not harvested";
  EXPECT_EQ(floats(out.calls[0].tensors[1]), call_.values[0]);
  EXPECT_THAT(floats(out.calls[0].tensors[2]), ElementsAre(11, 21, 31));
  EXPECT_EQ(out.status.launches.size(), 1u);
  EXPECT_GT(out.status.kernel_ns, 0u);
}

TEST_F(BackendTest, LayoutsWithPaddingGiveTheSameResult) {
  for (Layout x : {Layout::contiguous, Layout::offset, Layout::padded}) {
    for (Layout y : {Layout::contiguous, Layout::offset, Layout::padded}) {
      case_.tensors[0].layout = x;
      case_.tensors[1].layout = y;
      RunOutput out = run([&](const Launch& l) { copy(l); });
      EXPECT_EQ(out.status.fault, FaultClass::none) << out.status.message;
      EXPECT_EQ(floats(out.calls[0].tensors[1]), call_.values[0]);
    }
  }
}

TEST_F(BackendTest, ChangedPaddingIsAnOobWrite) {
  case_.tensors[1].layout = Layout::padded;
  RunOutput out = run([&](const Launch& l) {
    copy(l);
    l.out<float>("y")[l.dim("cols")] = 3;  // one past the first row
  });
  EXPECT_EQ(out.status.fault, FaultClass::oob_write);
  EXPECT_EQ(out.status.tensor, 1);
  EXPECT_THAT(out.status.message, HasSubstr("padding of tensor y, element 5"));
  EXPECT_THAT(out.status.message, HasSubstr("3 after it"));
  case_.tensors[0].layout = Layout::offset;
  case_.tensors[1].layout = Layout::contiguous;
  out = run([&](const Launch& l) { const_cast<float*>(l.in<float>("x"))[-1] = 3; });
  EXPECT_EQ(out.status.fault, FaultClass::oob_write);
  EXPECT_THAT(out.status.message, HasSubstr("padding of tensor x, element 0"));
}

TEST_F(BackendTest, ChangedInputsAreReported) {
  RunOutput out = run([&](const Launch& l) { const_cast<float*>(l.in<float>("x"))[7] = -2; });
  EXPECT_EQ(out.status.fault, FaultClass::input_changed);
  EXPECT_EQ(out.status.tensor, 0);
  EXPECT_EQ(out.status.message, "input x[1,2] was changed: 3.5 before the call, -2 after it");
  out = run([&](const Launch& l) { const_cast<float*>(l.in<float>("x"))[0] = -0.0f; });
  EXPECT_EQ(out.status.fault, FaultClass::input_changed) << "bit for bit";
}

TEST_F(BackendTest, UnwrittenOutputsHoldThePoisonOfTheVariant) {
  for (int variant : {0, 1}) {
    variant_ = variant;
    RunOutput out = run([&](const Launch& l) {
      copy(l, 2);
      std::uint32_t bits;
      std::memcpy(&bits, l.in<float>("work"), 4);
      EXPECT_EQ(bits, poison_bits(DType::f32, PoisonKind::workspace, variant));
    });
    std::uint32_t bits;
    std::memcpy(&bits, out.calls[0].tensors[1].data() + 14 * 4, 4);
    EXPECT_EQ(bits, poison_bits(DType::f32, PoisonKind::output, variant));
  }
}

TEST_F(BackendTest, TheSecondCallHasNewContentsInTheSameBuffers) {
  std::vector<const void*> addresses;
  int calls = 0;
  RunOutput out = run(
      [&](const Launch& l) {
        addresses.push_back(l.in<float>("x"));
        EXPECT_TRUE(std::isnan(l.in<float>("y")[0])) << "outputs are poisoned again";
        float* work = l.out<float>("work");
        if (calls++ == 0) work[0] = 5;
        else EXPECT_EQ(work[0], 5) << "workspaces keep what the first call left";
        copy(l);
      },
      2);
  ASSERT_EQ(out.calls.size(), 2u);
  EXPECT_EQ(addresses[0], addresses[1]);
  EXPECT_EQ(floats(out.calls[1].tensors[1])[3], 101.5f);
}

TEST_F(BackendTest, AFaultEndsTheRunAndTheNextOneIsClean) {
  for (int i = 0; i < 200; ++i) {
    RunOutput bad = run(
        [&](const Launch& l) {
          cpu::run(1, 64, [] {
            if (tid() == 5) return;
            cpu::warp_collective(cpu::WarpOp::shfl, ~0u, 0, 0, 32, HERE);
          });
          copy(l);
        },
        2);
    EXPECT_EQ(bad.status.fault, FaultClass::divergence);
    EXPECT_EQ(bad.calls.size(), 1u);
    EXPECT_EQ(bad.status.launches.size(), 1u);
    RunOutput good = run([&](const Launch& l) { copy(l); });
    ASSERT_EQ(good.status.fault, FaultClass::none) << good.status.message;
    ASSERT_EQ(floats(good.calls[0].tensors[1]), call_.values[0]);
  }
}

TEST_F(BackendTest, MixedTypesAndAbsentTensors) {
  case_.dtype = 2;
  case_.tensors[2].present = false;
  call_.values[2].clear();
  RunOutput out = run([&](const Launch& l) {
    EXPECT_FALSE(l.has("acc"));
    EXPECT_EQ(l.out<float>("acc"), nullptr);
    EXPECT_EQ(l.in_dtype(), DType::f16);
    EXPECT_EQ(l.out_dtype(), DType::f32);
    float* y = l.out<float>("y");
    for (int i = 0; i < 15; ++i) y[i] = 1;
  });
  EXPECT_EQ(out.status.fault, FaultClass::none) << out.status.message;
  EXPECT_TRUE(out.calls[0].tensors[2].empty());
  EXPECT_EQ(floats(out.calls[0].tensors[1])[14], 1);
}

TEST_F(BackendTest, ALauncherThatThrowsIsALaunchFault) {
  RunOutput out = run([](const Launch&) { throw std::runtime_error("cols must be even"); });
  EXPECT_EQ(out.status.fault, FaultClass::launch);
  EXPECT_THAT(out.status.message, HasSubstr("cols must be even"));
}

TEST_F(BackendTest, LeaksAreCounted) {
  RunOutput out = run([](const Launch&) {
    cpu::device_alloc(64);
    cpu::device_free(cpu::device_alloc(8));
  });
  EXPECT_EQ(out.status.leaked_bytes, 64u);
}

TEST_F(BackendTest, QuestionsThatTheSchemaCannotAnswerEndTheProcess) {
  auto dies = [&](const Launcher& l, const char* why) { EXPECT_EXIT(run(l), ExitedWithCode(83), why); };
  dies([](const Launch& l) { l.in<float>("z"); },
       "tensor 'z' is not in the schema of copy, which has: x, y, acc, work");
  dies([](const Launch& l) { l.in<int>("x"); },
       "tensor 'x' of copy is fp32 in this case, but the launcher asks for int32");
  dies([](const Launch& l) { l.out<float>("x"); }, "tensor 'x' of copy is an input");
  dies([](const Launch& l) { l.dim("depth"); }, "dim 'depth' is not in the schema of copy, which has: rows, cols");
  dies([](const Launch& l) { l.scalar("scale"); }, "scalar 'scale'");
  dies([](const Launch& l) { l.flag("flag"); }, "flag 'flag'");
  dies([](const Launch& l) { l.stride("x", 2); }, "has 2 axes");
}

TEST(TensorImage, ScatterAndGatherAreInverse) {
  TensorLayout l;
  l.dtype = DType::f16;
  l.shape = {2, 3, 4};
  l.strides = {30, 7, 1};
  l.offset = 3;
  l.elements = 24;
  l.storage_elements = 3 + 30 + 14 + 4 + 5;
  std::vector<std::byte> elements(48), image(l.storage_bytes(), std::byte{0xee}), back(48);
  for (std::size_t i = 0; i < 48; ++i) elements[i] = static_cast<std::byte>(i);
  scatter(l, elements.data(), image.data());
  gather(l, image.data(), back.data());
  EXPECT_EQ(back, elements);
  std::vector<bool> map = element_map(l);
  EXPECT_EQ(std::count(map.begin(), map.end(), true), 24);
  for (std::size_t i = 0; i < map.size(); ++i)
    if (!map[i]) EXPECT_EQ(image[2 * i], std::byte{0xee});
  EXPECT_EQ(coordinates(l, 3), "[0,0,0]");
  EXPECT_EQ(coordinates(l, 3 + 30 + 14 + 3), "[1,2,3]");
  EXPECT_EQ(coordinates(l, 2), "");
}

TEST(TensorImage, FillElements) {
  for (std::size_t size : {1, 2, 4, 8}) {
    for (std::size_t n : {0, 1, 2, 3, 17, 100}) {
      std::vector<std::byte> data(n * size + 1, std::byte{1});
      fill_elements(data.data(), n, size, 0x8877665544332211ull);
      for (std::size_t i = 0; i < n * size; ++i) EXPECT_EQ(data[i], static_cast<std::byte>(0x11 * (i % size + 1)));
      EXPECT_EQ(data[n * size], std::byte{1});
    }
  }
}

}  // namespace
}  // namespace warpfuzz
