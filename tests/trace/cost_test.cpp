#include "core/trace/cost.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "trace_builder.h"

namespace atelier::trace {
namespace {

using Shapes = std::vector<std::vector<std::int64_t>>;
using Words = std::vector<std::string>;

std::optional<Cost> cost(const std::string& name, const Shapes& shapes, Words scalars = {},
                         const std::string& dtype = "float") {
  Detail detail;
  for (const auto& shape : shapes) detail.inputs.push_back({shape, dtype});
  detail.scalars = std::move(scalars);
  return costOf(name, detail);
}

// −1: not counted.
double flops(const std::string& name, const Shapes& shapes, Words scalars = {}) {
  const auto found = cost(name, shapes, std::move(scalars));
  return found ? found->flops : -1;
}

std::int64_t bytes(const std::string& name, const Shapes& shapes, Words scalars = {}, const std::string& dtype = "float") {
  const auto found = cost(name, shapes, std::move(scalars), dtype);
  return found ? found->bytes : -1;
}

// Lists of tensors, one behind the other.
Shapes repeated(const Shapes& shapes, int times) {
  Shapes all;
  for (int i = 0; i < times; ++i) all.insert(all.end(), shapes.begin(), shapes.end());
  return all;
}

const Shapes kConv{{128, 1, 28, 28}, {32, 1, 3, 3}, {32}};

}  // namespace

TEST(Cost, MatmulsCountTwoAMultiplyAdd) {
  // 2 · 64 · 32 · 128; (64 · 128 + 128 · 32 + 64 · 32) · 4 bytes
  EXPECT_EQ(flops("aten::mm", {{64, 128}, {128, 32}}), 524'288);
  EXPECT_EQ(bytes("aten::mm", {{64, 128}, {128, 32}}), 57'344);
  EXPECT_EQ(bytes("aten::mm", {{64, 128}, {128, 32}}, {}, "c10::BFloat16"), 28'672);
  EXPECT_TRUE(cost("aten::mm", {{64, 128}, {128, 32}})->matmul);
  // 2 · 8 · 10 · 32, the bias not counted but read
  EXPECT_EQ(flops("aten::addmm", {{10}, {8, 32}, {32, 10}}, {"1", "1"}), 5'120);
  EXPECT_EQ(bytes("aten::addmm", {{10}, {8, 32}, {32, 10}}, {"1", "1"}), (10 + 256 + 320 + 80) * 4);
  EXPECT_EQ(flops("aten::_addmm_activation", {{10}, {8, 32}, {32, 10}}), 5'120);
  // 4 · 2 · 16 · 16 · 32
  EXPECT_EQ(flops("aten::bmm", {{4, 16, 32}, {4, 32, 16}}), 65'536);
  EXPECT_EQ(flops("aten::baddbmm", {{4, 16, 16}, {4, 16, 32}, {4, 32, 16}}, {"1", "1"}), 65'536);
  EXPECT_EQ(flops("aten::addmv_", {{5}, {5, 7}, {7}}, {"0", "1"}), 70);
  EXPECT_EQ(flops("aten::mkldnn_linear", {{2, 3, 32}, {10, 32}, {10}}), 2 * 6 * 32 * 10);
  EXPECT_EQ(flops("aten::mm", {{0, 128}, {128, 32}}), 0);
}

TEST(Cost, ConvolutionsCountEachOutput) {
  // Padded by one the output is 128 × 32 × 28 × 28 = 3,211,264; each of 2 · 1 · 9
  const Words same{"[1, 1]", "[1, 1]", "[1, 1]", "1"};
  EXPECT_EQ(flops("aten::mkldnn_convolution", kConv, same), 57'802'752);
  // input 401,408, weight 1,152, bias 128, output 12,845,056 bytes
  EXPECT_EQ(bytes("aten::mkldnn_convolution", kConv, same), 13'247'744);
  // Without padding 26 × 26: 128 · 32 · 676 · 18
  EXPECT_EQ(flops("aten::mkldnn_convolution", kConv, {"[0, 0]", "[1, 1]", "[1, 1]", "1"}), 49'840'128);
  EXPECT_EQ(
      flops("aten::cudnn_convolution", {kConv[0], kConv[1]}, {"[0, 0]", "[1, 1]", "[1, 1]", "1", "False", "False", "True"}),
      49'840'128);
  // In four groups each output sees 8 of 32 channels: 8 · 32 · 6 · 6 outputs, 2 · 8 · 9 each
  EXPECT_EQ(flops("aten::mkldnn_convolution", {{8, 32, 14, 14}, {32, 8, 3, 3}}, {"[0, 0]", "[2, 2]", "[1, 1]", "4"}),
            1'327'104);
  // One dimension: 2 · 6 · 14 outputs, 2 · 4 · 3 each
  EXPECT_EQ(flops("aten::mkldnn_convolution", {{2, 4, 16}, {6, 4, 3}}, {"[0]", "[1]", "[1]", "1"}), 4'032);
}

TEST(Cost, EachConvolutionHasItsOrderOfLists) {
  // Stride 2, padding 1: 4 × 4 outputs of 4 channels, 2 · 27 each. The other way round they would be 10 × 10.
  const Shapes small{{1, 3, 8, 8}, {4, 3, 3, 3}};
  EXPECT_EQ(flops("aten::cudnn_convolution_relu", small, {"[2, 2]", "[1, 1]", "[1, 1]", "1"}), 3'456);
  EXPECT_EQ(flops("aten::mkldnn_convolution", small, {"[1, 1]", "[2, 2]", "[1, 1]", "1"}), 3'456);
  EXPECT_EQ(flops("aten::_slow_conv2d_forward", small, {"[3, 3]", "[2, 2]", "[1, 1]"}), 3'456);
  EXPECT_EQ(flops("aten::convolution_overrideable", small, {"[2, 2]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1"}), 3'456);
  EXPECT_EQ(flops("aten::convolution_overrideable", small, {"[2, 2]", "[1, 1]", "[1, 1]", "True", "[0, 0]", "1"}), -1);
  // Dilated by two a window spans 5: 2 × 2 outputs at stride 2 without padding
  EXPECT_EQ(flops("aten::slow_conv_dilated2d", small, {"[3, 3]", "[2, 2]", "[0, 0]", "[2, 2]"}), 4 * 4 * 54);
}

TEST(Cost, ConvolutionBackwardCountsTheGradientsMade) {
  const Shapes shapes{{128, 32, 28, 28}, {128, 1, 28, 28}, {32, 1, 3, 3}};
  const auto scalars = [](const char* made) {
    return Words{"[32]", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1", made};
  };
  EXPECT_EQ(flops("aten::convolution_backward", shapes, scalars("[False, True, True]")), 57'802'752);
  EXPECT_EQ(flops("aten::convolution_backward", shapes, scalars("[True, True, False]")), 115'605'504);
  EXPECT_EQ(flops("aten::convolution_backward", shapes, scalars("[False, False, True]")), 0);
  // The gradient and the input are read, those of weight and bias written
  EXPECT_EQ(bytes("aten::convolution_backward", shapes, scalars("[False, True, True]")), 12'845'056 + 401'408 + 1'152 + 128);
  // Both: input and weight are read and their gradients written
  EXPECT_EQ(bytes("aten::convolution_backward", shapes, scalars("[True, True, False]")), 12'845'056 + 2 * (401'408 + 1'152));
  // Transposed: each input element meets 6 channels of 3 × 3: 2 · (2 · 4 · 8 · 8) · 54
  EXPECT_EQ(flops("aten::convolution_backward", {{2, 6, 17, 17}, {2, 4, 8, 8}, {4, 6, 3, 3}},
                  {"[6]", "[2, 2]", "[0, 0]", "[1, 1]", "True", "[0, 0]", "1", "[False, True, True]"}),
            55'296);
  // An absent bias shifts nothing
  EXPECT_EQ(flops("aten::convolution_backward", shapes,
                  {"", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1", "[True, False, False]"}),
            57'802'752);
}

TEST(Cost, AttentionIsTwoMatmulsAndFiveBackward) {
  // 4 · N 4 · H 2 · T 16 · S 16 · D 16
  const Shapes qkv = repeated({{4, 2, 16, 16}}, 3);
  EXPECT_EQ(flops("aten::_scaled_dot_product_flash_attention_for_cpu", qkv, {"0.", "False"}), 131'072);
  EXPECT_EQ(bytes("aten::_scaled_dot_product_flash_attention_for_cpu", qkv), 4 * 2'048 * 4);
  Shapes backward{{4, 2, 16, 16}};
  backward.insert(backward.end(), qkv.begin(), qkv.end());
  backward.insert(backward.end(), {{4, 2, 16, 16}, {4, 2, 16}});
  EXPECT_EQ(flops("aten::_scaled_dot_product_flash_attention_for_cpu_backward", backward, {"0.", "False"}), 327'680);
  // On a GPU heads stand third: 4 · N 2 · H 4 · T 128 · S 64 · D 32
  const Shapes cross{{2, 128, 4, 32}, {2, 64, 4, 32}, {2, 64, 4, 32}};
  EXPECT_EQ(flops("aten::_flash_attention_forward", cross), 8'388'608);
  EXPECT_EQ(flops("aten::_efficient_attention_forward", cross), 8'388'608);
  EXPECT_EQ(flops("aten::_cudnn_attention_forward", {{2, 4, 128, 32}, {2, 4, 64, 32}, {2, 4, 64, 32}}), 8'388'608);
}

TEST(Cost, PackedSequencesAreNotGuessed) {
  Detail packed;
  packed.inputs = {
      {{1, 128, 4, 32}, "c10::Half"}, {{1, 128, 4, 32}, "c10::Half"}, {{1, 128, 4, 32}, "c10::Half"}, {{9}, "int"}};
  EXPECT_FALSE(costOf("aten::_efficient_attention_forward", packed));
}

TEST(Cost, ElementwiseIsOneAnOutputElement) {
  // (8, 1, 4) and (5, 1) are (8, 5, 4) together
  EXPECT_EQ(flops("aten::add", {{8, 1, 4}, {5, 1}}, {"1"}), 160);
  EXPECT_EQ(bytes("aten::add", {{8, 1, 4}, {5, 1}}, {"1"}), (32 + 5 + 160) * 4);
  EXPECT_EQ(flops("aten::add_", {{8, 4}, {8, 4}}, {"1"}), 32);
  EXPECT_EQ(flops("aten::clamp_min", {{128, 32, 28, 28}}, {"0"}), 3'211'264);
  EXPECT_EQ(flops("aten::threshold_backward", {{6, 7}, {6, 7}}, {"0"}), 42);
  EXPECT_EQ(flops("aten::gelu_backward", {{6, 7}, {6, 7}}), 42);
  EXPECT_EQ(flops("aten::where", {{4, 1, 1}, {4, 16, 16}, {}}), 1'024);
  EXPECT_EQ(bytes("aten::gt", {{8, 8}}, {"0.1"}), 64 * 4 + 64);  // gives bytes of bool
  EXPECT_EQ(bytes("aten::native_dropout", {{8, 8}}, {"0.1", "True"}), 64 * 4 * 2 + 64);
  EXPECT_EQ(flops("aten::add", {{8, 3}, {8, 4}}, {"1"}), -1);
}

TEST(Cost, ANumberAsATensorDoesNotWiden) {
  Detail detail;
  detail.inputs = {{{}, "double"}, {{32}, "float"}, {{32}, "float"}};  // the last is that of out=
  const auto found = costOf("aten::mul", detail);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->flops, 32);
  EXPECT_EQ(found->bytes, 8 + 32 * 4 + 32 * 4);
}

TEST(Cost, CopiesMoveAndComputeNothing) {
  Detail detail;
  detail.inputs = {{{8}, "float"}, {{8}, "long int"}};
  detail.scalars = {"False"};
  ASSERT_TRUE(costOf("aten::copy_", detail));
  EXPECT_EQ(costOf("aten::copy_", detail)->flops, 0);
  EXPECT_EQ(costOf("aten::copy_", detail)->bytes, 96);
  EXPECT_EQ(bytes("aten::fill_", {{8, 8}}, {"0."}), 256);
  EXPECT_EQ(bytes("aten::cat", {{2, 3}, {4, 3}}, {"0"}), (6 + 12) * 2 * 4);
  // 64 of 50 rows of 32: the indices, the rows read and the rows written
  detail.inputs = {{{50, 32}, "float"}, {{64}, "long int"}};
  detail.scalars = {"0"};
  EXPECT_EQ(costOf("aten::index_select", detail)->bytes, 64 * 8 + 2 * 64 * 32 * 4);
}

TEST(Cost, NormalisationsReductionsAndPooling) {
  EXPECT_EQ(flops("aten::native_batch_norm", {{8, 32, 28, 28}, {32}, {32}, {32}, {32}}, {"True", "0.1", "1e-05"}), 5 * 200'704);
  EXPECT_EQ(
      flops("aten::native_layer_norm_backward", {{8, 10}, {8, 10}, {8, 1}, {8, 1}, {10}, {10}}, {"[10]", "[True, True, True]"}),
      400);
  EXPECT_EQ(flops("aten::_softmax", {{4, 16, 16}}, {"-1", "False"}), 5'120);
  EXPECT_EQ(flops("aten::_log_softmax_backward_data", {{8, 10}, {8, 10}}, {"1", "6"}), 400);
  EXPECT_EQ(flops("aten::sum", {{8, 32, 6, 6}}, {"[2, 3]", "False"}), 9'216);
  EXPECT_EQ(bytes("aten::sum", {{8, 32, 6, 6}}, {"[-2, -1]", "False"}), (9'216 + 256) * 4);
  EXPECT_EQ(flops("aten::sum", {{8, 32}}, {"[7]", "False"}), -1);
  EXPECT_EQ(flops("aten::linalg_vector_norm", {{32, 10}}, {"2", "False"}), 640);
  // 2 × 2 windows: 8 · 32 · 14 · 14 outputs of 4, with an index of 8 bytes each
  const Words pool{"[2, 2]", "[]", "[0, 0]", "[1, 1]", "False"};
  EXPECT_EQ(flops("aten::max_pool2d_with_indices", {{8, 32, 28, 28}}, pool), 200'704);
  EXPECT_EQ(bytes("aten::max_pool2d_with_indices", {{8, 32, 28, 28}}, pool), 200'704 * 4 + 50'176 * (4 + 8));
  // 5 × 5 gives 2 × 2 outputs, 3 × 3 with ceil_mode
  EXPECT_EQ(flops("aten::avg_pool2d", {{1, 1, 5, 5}}, {"[2, 2]", "[]", "[0, 0]", "False", "True"}), 16);
  EXPECT_EQ(flops("aten::avg_pool2d", {{1, 1, 5, 5}}, {"[2]", "[2]", "[0]", "True", "True"}), 36);
  // One column of padding on the right begins no window of its own
  EXPECT_EQ(flops("aten::avg_pool2d", {{1, 1, 4, 4}}, {"[2, 2]", "[3, 3]", "[1, 1]", "True", "True"}), 16);
  EXPECT_EQ(flops("aten::embedding_dense_backward", {{4, 16, 32}, {4, 16}}, {"50", "0", "False"}), 2'048);
}

TEST(Cost, FusedOptimizersCountEachParameterOnce) {
  // 50 parameters; parameter, gradient, two moments, and a step count each. AdamW reads four and writes three.
  Shapes lists = repeated({{10, 4}, {10}}, 4);
  lists.resize(lists.size() + 2);
  const Words adam{"0.001", "0.9", "0.999", "0.01", "1e-08", "False", "False"};
  EXPECT_EQ(flops("aten::_fused_adamw_", lists, adam), 750);
  EXPECT_EQ(bytes("aten::_fused_adamw_", lists, adam), 50 * 4 * 7);
  EXPECT_EQ(flops("aten::_fused_sgd_", repeated({{10, 4}, {10}}, 3), {"0.01", "0.9", "0.1", "0.", "False", "False", "False"}),
            350);
  EXPECT_EQ(flops("aten::_fused_sgd_", repeated({{10, 4}, {10}}, 2), {"0.01", "0.", "0.1", "0.", "False", "False", "False"}),
            200);
  // Lists that are no lists of the same parameters
  EXPECT_EQ(flops("aten::_fused_adamw_", {{10, 4}, {3}, {10, 4}, {10, 4}, {}}, adam), -1);
}

TEST(Cost, RecurrentLayersMultiplyEachPosition) {
  // 7 · 4 positions, by (96, 16) and (96, 24)
  EXPECT_EQ(
      flops("aten::mkldnn_rnn_layer", {{7, 4, 16}, {96, 16}, {96, 24}, {96}, {96}, {4, 24}, {4, 24}}, {"False", "[]", "2"}),
      2 * 28 * (96 * 16 + 96 * 24));
  EXPECT_EQ(flops("aten::_cudnn_rnn", {{7, 4, 16}, {96, 16}, {96, 24}, {96}, {96}, {1, 4, 24}}, {"4", "2", "24"}),
            2 * 28 * (96 * 16 + 96 * 24));
}

TEST(Cost, WhatStandsOverAnotherIsNotCounted) {
  const Shapes conv{{8, 1, 28, 28}, {32, 1, 3, 3}, {32}};
  for (const char* name : {"aten::conv2d", "aten::convolution", "aten::_convolution", "aten::thnn_conv2d"})
    EXPECT_FALSE(cost(name, conv, {"[1, 1]", "[1, 1]", "[1, 1]", "1"})) << name;
  for (const char* name : {"aten::linear", "aten::matmul", "aten::relu", "aten::mean", "aten::contiguous", "aten::embedding",
                           "aten::softmax", "aten::zero_", "aten::view", "aten::empty", "mine::operator", "mm_", "_", ""})
    EXPECT_FALSE(cost(name, {{8, 8}, {8, 8}})) << name;
  EXPECT_FALSE(cost("aten::scaled_dot_product_attention", repeated({{4, 2, 16, 16}}, 3)));
  EXPECT_FALSE(cost("aten::_scaled_dot_product_flash_attention", repeated({{4, 2, 16, 16}}, 3)));
  // With a number these call themselves again with a tensor, and a sum of all with a list
  EXPECT_FALSE(cost("aten::add_", {{8, 8}}, {"1e-08", "1"}));
  EXPECT_FALSE(cost("aten::sum", {{8, 8}}, {""}));
}

TEST(Cost, AnOperatorCalledAnewIsCountedOnce) {
  testing::TraceBuilder builder;
  const auto track = builder.track("main thread");
  const Shapes shapes{{4, 16, 32}, {4, 32, 16}};
  builder.op(track, "aten::bmm", 0, 100, shapes);
  builder.op(track, "aten::bmm", 10, 80, shapes, "c10::BFloat16");
  builder.op(track, "aten::bmm", 200, 100, shapes);
  const auto trace = builder.build();
  const auto costs = costsOf(trace);
  ASSERT_EQ(costs.size(), 3U);
  EXPECT_FALSE(costs[0]);
  ASSERT_TRUE(costs[1] && costs[2]);
  EXPECT_EQ(costs[1]->flops, 65'536);
  EXPECT_EQ(costs[1]->bytes * 2, costs[2]->bytes);
}

TEST(Cost, ShapesThatWereNotRecordedGiveNothing) {
  EXPECT_FALSE(costOf("aten::mm", Detail{}));
  EXPECT_FALSE(cost("aten::mm", {{64, 128}}));
  EXPECT_FALSE(cost("aten::mkldnn_convolution", kConv));
  EXPECT_FALSE(cost("aten::add", {}));
  // Without dtypes the work is known, what it moves is not
  ASSERT_TRUE(cost("aten::mm", {{64, 128}, {128, 32}}, {}, ""));
  EXPECT_EQ(flops("aten::mm", {{64, 128}, {128, 32}}), cost("aten::mm", {{64, 128}, {128, 32}}, {}, "")->flops);
  EXPECT_EQ(bytes("aten::mm", {{64, 128}, {128, 32}}, {}, ""), 0);
}

TEST(Cost, HostileShapesNeitherOverflowNorCount) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  const auto huge = cost("aten::mm", {{kHuge, 4}, {4, kHuge}});
  ASSERT_TRUE(huge);
  EXPECT_DOUBLE_EQ(huge->flops, 8.0 * static_cast<double>(kHuge) * static_cast<double>(kHuge));
  EXPECT_EQ(huge->bytes, INT64_MAX);
  EXPECT_FALSE(cost("aten::mm", {{-1, 4}, {4, 2}}));
  EXPECT_FALSE(cost("aten::mm", {{2, 4}, {5, 2}}));
  EXPECT_FALSE(cost("aten::clamp_min", {{8, -8}}));
  EXPECT_FALSE(cost("aten::clamp_min", {std::vector<std::int64_t>(400, kHuge)}));  // beyond any double
  for (const Words& lists : {Words{"[0, 0]", "[0, 0]", "[1, 1]"}, Words{"[0, 0]", "[1, x]", "[1, 1]"}, Words{"[0, 0", "[1, 1]"},
                             Words{"[9223372036854775807]", "[1]", "[1]"}, Words{"[0, 0, 0]", "[1]", "[1]"},
                             Words{"[0]", "[1]", "[9223372036854775807]"}, Words{"[0]", "[-1]", "[1]"}, Words{"[]"}})
    EXPECT_FALSE(cost("aten::mkldnn_convolution", kConv, lists)) << ::testing::PrintToString(lists);
  // A window that does not fit
  EXPECT_FALSE(cost("aten::mkldnn_convolution", {{1, 1, 2, 2}, {1, 1, 3, 3}}, {"[0, 0]", "[1, 1]", "[1, 1]", "1"}));
  EXPECT_FALSE(cost("aten::index_select", {{50, 32}, {64}}, {"9223372036854775807"}));
}

TEST(Cost, DtypesAsKinetoWritesThem) {
  EXPECT_EQ(dtypeBytes("float"), 4);
  EXPECT_EQ(dtypeBytes("c10::BFloat16"), 2);
  EXPECT_EQ(dtypeBytes("long int"), 8);
  EXPECT_EQ(dtypeBytes("bool"), 1);
  EXPECT_EQ(dtypeBytes("c10::complex<double>"), 16);
  EXPECT_EQ(dtypeBytes("Scalar"), 0);
  EXPECT_EQ(dtypeBytes(""), 0);
}

}  // namespace atelier::trace
