// Profiles for the rules' tests, made by hand: tables and events with the very figures that a test is about. Whatever is found
// must be said whole in both languages.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/trace/diagnosis.h"
#include "core/wire/catalog.h"

namespace atelier::trace::testing {

inline constexpr std::int64_t kMs = 1'000'000, kUs = 1'000, kMiB = 1 << 20;

inline void expectWholeText(const wire::Catalog& texts, const wire::Message& message) {
  EXPECT_TRUE(texts.has(message.id)) << message.id << " in " << texts.language();
  const auto text = texts.text(message);
  EXPECT_EQ(text.find('{'), std::string::npos) << text;
}

inline void expectWholeTexts(const std::vector<wire::Message>& messages) {
  static const wire::Catalog english = wire::Catalog::builtIn("en"), french = wire::Catalog::builtIn("fr");
  for (const auto* texts : {&english, &french})
    for (const auto& message : messages) expectWholeText(*texts, message);
}

inline void expectSaid(const Finding& finding) {
  const auto id = "rule." + finding.rule;
  expectWholeTexts({{id + ".title", finding.args}, {id + ".why", finding.args}});
  expectWholeTexts({{id + (finding.severity == Severity::Healthy ? ".healthy" : ".fix"), finding.fix.args}});
  expectWholeTexts(finding.evidence);
  EXPECT_FALSE(finding.evidence.empty()) << finding.rule << " names no evidence";
  EXPECT_GE(finding.expected_gain, 1) << finding.rule;
  EXPECT_LE(finding.gain_low, finding.expected_gain) << finding.rule;
  EXPECT_LE(finding.expected_gain, finding.gain_high) << finding.rule;
}

inline nlohmann::json defaultSpec() {
  return {{"model", "cnn"},   {"mode", "train"},     {"device", "cpu"},     {"threads", 0},           {"batch", 128},
          {"fused", false},   {"workers", 0},        {"prefetch", 2},       {"channels_last", false}, {"pinned", false},
          {"clip_norm", 0.0}, {"precision", "fp32"}, {"attention", "auto"}, {"freeze", "none"}};
}

struct Case {
  Trace trace{};
  Report report{};
  nlohmann::json spec = defaultSpec();
  std::optional<wire::RunSummary> summary{};
  wire::Health health{};
  double others_percent = 2, bf16_over_fp32 = 0;
  std::int64_t budget_bytes = 0;
  bool channels_last_pays = false;

  Facts facts() const {
    Facts facts{trace, report};
    facts.spec = spec;
    facts.summary = summary;
    facts.health = health;
    facts.others_percent = others_percent;
    facts.budget_bytes = budget_bytes;
    facts.bf16_over_fp32 = bf16_over_fp32;
    facts.channels_last_pays = channels_last_pays;
    return facts;
  }
  std::vector<Finding> found() const {
    auto findings = diagnose(facts());
    for (const auto& finding : findings) expectSaid(finding);
    return findings;
  }
  std::optional<Finding> found(const std::string& rule) const {
    for (auto& finding : found())
      if (finding.rule == rule) return finding;
    return std::nullopt;
  }
  std::vector<std::string> rules() const {
    std::vector<std::string> ids;
    for (const auto& finding : found()) ids.push_back(finding.rule);
    return ids;
  }

  // `share` of the wall time in each stage; what is left is between the stages.
  void steps(std::int64_t count, std::int64_t stepNs, double data, double forward, double backward, double optimizer) {
    auto& b = report.breakdown;
    b.steps = count;
    b.wall_ns = count * stepNs;
    b.step_ns.assign(static_cast<std::size_t>(count), stepNs);
    const double shares[kStages] = {0, data, forward, backward, optimizer, 0};
    std::int64_t left = b.wall_ns;
    for (std::size_t i = 1; i < kStages; ++i) {
      b.stage_ns[i] = std::llround(shares[i] * static_cast<double>(b.wall_ns));
      left -= b.stage_ns[i];
    }
    b.stage_ns[0] = left;
    report.span = {0, b.wall_ns};
  }
  std::int32_t module(const std::string& path, const std::string& type) {
    trace.modules.push_back({path, type});
    return static_cast<std::int32_t>(trace.modules.size()) - 1;
  }
  std::int32_t name(const std::string& text) {
    for (std::size_t i = 0; i < trace.names.size(); ++i)
      if (trace.names[i] == text) return static_cast<std::int32_t>(i);
    trace.names.push_back(text);
    return static_cast<std::int32_t>(trace.names.size()) - 1;
  }
  // `share` of the wall time; call steps() first.
  OperatorRow& row(const std::string& operatorName, double share, std::int64_t calls, double peakShare = 0) {
    OperatorRow made;
    made.name = name(operatorName);
    made.calls = calls;
    made.self_ns = made.total_ns = std::llround(share * static_cast<double>(report.breakdown.wall_ns));
    made.peak_share = peakShare;
    report.operators.push_back(made);
    return report.operators.back();
  }
  // On the main track, with a self time as long as itself.
  Event& event(Kind kind, const std::string& text, std::int64_t start, std::int64_t duration, Stage stage) {
    if (trace.tracks.empty()) trace.tracks.push_back({"main thread", 1, 1, -1});
    Event made;
    made.kind = kind;
    made.name = name(text);
    made.start = start;
    made.duration = duration;
    made.stage = stage;
    made.step = report.breakdown.step_ns.empty() ? -1 : static_cast<std::int32_t>(start / report.breakdown.step_ns.front());
    trace.events.push_back(made);
    report.times.self.push_back(duration);
    report.times.device_self.push_back(0);
    report.times.device_total.push_back(0);
    return trace.events.back();
  }
};

// Three steps of a small convolutional network on a CPU, as they should be.
inline Case healthyCnn() {
  Case it;
  it.steps(3, 60 * kMs, 0.015, 0.34, 0.60, 0.03);
  it.report.breakdown.overhead_ns = 9 * kMs;
  const auto conv = it.module("1.0", "Conv2d");
  it.row("aten::convolution_backward", 0.44, 6, 0.42).modules = {conv};
  it.row("aten::mkldnn_convolution", 0.22, 6, 0.38).modules = {conv};
  it.row("aten::native_batch_norm_backward", 0.06, 6);
  it.row("aten::native_batch_norm", 0.05, 6);
  it.row("aten::threshold_backward", 0.04, 9);
  it.row("aten::mm", 0.04, 12, 0.5);
  it.row("aten::addmm", 0.03, 6, 0.5);
  it.row("aten::mul_", 0.01, 60);
  it.row("aten::as_strided", 0.001, 60);
  it.report.peaks.cores = 2;
  it.report.memory.peak.bytes[static_cast<std::size_t>(Category::Activations)] = 80 * kMiB;
  it.report.memory.peak.bytes[static_cast<std::size_t>(Category::Weights)] = 10 * kMiB;
  it.report.memory.allocations_per_step = 150;
  it.report.memory.allocated_bytes_per_step = 160.0 * kMiB;
  it.health.step = 40;
  it.health.gradient_norm = 1.7;
  it.health.activations.push_back({"0.2", "ReLU", 0.3, 0.5, 0, 4, 90, 100'000, 55'000, 0, 0});
  it.health.parameters.push_back({"0.0.weight", "", 0, 0.01, -1, 1, 0.4, 288, 0, 0, 0});
  it.health.parameters.push_back({"5.weight", "", 0, 0.01, -1, 1, 0.5, 1280, 0, 0, 0});
  return it;
}

}  // namespace atelier::trace::testing
