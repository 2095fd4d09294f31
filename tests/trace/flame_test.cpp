#include "core/trace/flame.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/trace/xml_text.h"
#include "trace_builder.h"

namespace atelier::trace {
namespace {

using testing::TraceBuilder;

Flame whole(const Trace& trace, std::int32_t track = 0) {
  return flameOf(trace, timesOf(trace), track, {});
}

// −1: there is no such node below it.
int child(const Trace& trace, const Flame& flame, int parent, const std::string& name) {
  for (std::size_t i = 0; i < flame.nodes.size(); ++i)
    if (flame.nodes[i].parent == parent && trace.names[static_cast<std::size_t>(flame.nodes[i].name)] == name)
      return static_cast<int>(i);
  return -1;
}

const FlameNode& at(const Flame& flame, int node) {
  return flame.nodes.at(static_cast<std::size_t>(node));
}

// What must hold of every flame: integers that sum.
void expectSums(const Flame& flame) {
  std::vector<std::int64_t> below(flame.nodes.size(), 0);
  std::int64_t roots = 0;
  for (std::size_t i = 0; i < flame.nodes.size(); ++i) {
    const auto& node = flame.nodes[i];
    ASSERT_LT(node.parent, static_cast<std::int32_t>(i));
    EXPECT_GE(node.self_ns, 0);
    const auto left = node.parent < 0 ? roots : at(flame, node.parent).offset_ns + below[static_cast<std::size_t>(node.parent)];
    EXPECT_EQ(node.offset_ns, left);
    EXPECT_EQ(node.depth, node.parent < 0 ? 0 : at(flame, node.parent).depth + 1);
    (node.parent < 0 ? roots : below[static_cast<std::size_t>(node.parent)]) += node.total_ns;
  }
  EXPECT_EQ(flame.total_ns, roots);
  for (std::size_t i = 0; i < flame.nodes.size(); ++i)
    EXPECT_EQ(flame.nodes[i].self_ns + below[i], flame.nodes[i].total_ns) << i;
}

std::size_t times(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (auto found = text.find(word); found != std::string::npos; found = text.find(word, found + 1)) ++count;
  return count;
}

}  // namespace

TEST(Flame, MergesStepsAndCallsByName) {
  TraceBuilder builder;
  const auto track = builder.track("main thread");
  for (std::int64_t step = 0; step < 3; ++step) {
    builder.step(track, step * 1000, 900);
    builder.op(track, "aten::linear", step * 1000 + 100, 300);
    builder.op(track, "aten::addmm", step * 1000 + 110, 200);
    builder.op(track, "aten::relu", step * 1000 + 500, 50);
    builder.op(track, "aten::linear", step * 1000 + 600, 100);
  }
  const auto trace = builder.build();
  const auto flame = whole(trace);
  expectSums(flame);
  ASSERT_EQ(flame.nodes.size(), 4U);
  EXPECT_EQ(flame.depth, 3);
  EXPECT_EQ(flame.total_ns, 2700);
  EXPECT_EQ(flame.nodes[0].kind, Kind::Step);
  EXPECT_EQ(flame.nodes[0].calls, 3);
  EXPECT_EQ(flame.nodes[0].self_ns, 3 * 450);
  const auto linear = child(trace, flame, 0, "aten::linear");
  ASSERT_GE(linear, 0);
  EXPECT_EQ(at(flame, linear).calls, 6);
  EXPECT_EQ(at(flame, linear).total_ns, 1200);
  EXPECT_EQ(at(flame, linear).offset_ns, 0);
  EXPECT_EQ(at(flame, child(trace, flame, linear, "aten::addmm")).total_ns, 600);
  // The larger stands on the left.
  EXPECT_EQ(at(flame, child(trace, flame, 0, "aten::relu")).offset_ns, 1200);
}

TEST(Flame, ModulesOfAnotherPathAreOthers) {
  TraceBuilder builder;
  const auto track = builder.track("main thread");
  builder.event(Kind::Module, track, "Conv2d", 0, 100);
  builder.last().module = builder.trace().module("conv1", "Conv2d");
  builder.event(Kind::Module, track, "Conv2d", 100, 50);
  builder.last().module = builder.trace().module("conv2", "Conv2d");
  builder.event(Kind::Module, track, "Conv2d", 200, 30);
  builder.last().module = builder.trace().module("conv1", "Conv2d");
  const auto trace = builder.build();
  const auto flame = whole(trace);
  expectSums(flame);
  ASSERT_EQ(flame.nodes.size(), 2U);
  EXPECT_EQ(flame.nodes[0].total_ns, 130);
  EXPECT_EQ(trace.modules[static_cast<std::size_t>(flame.nodes[0].module)].path, "conv1");
  const auto svg = flameSvg(trace, flame, "two");
  EXPECT_NE(svg.find("conv1 (Conv2d)"), std::string::npos);
  EXPECT_NE(svg.find("conv2 (Conv2d)"), std::string::npos);
}

TEST(Flame, ASpanCutsWholeEvents) {
  TraceBuilder builder;
  const auto track = builder.track("main thread");
  builder.op(track, "outer", 0, 1000);
  builder.op(track, "early", 100, 100);
  builder.op(track, "late", 700, 200);
  const auto trace = builder.build();
  const auto times = timesOf(trace);
  // Its call below that begins outside of the span is not drawn, and is the caller's own.
  const auto first = flameOf(trace, times, track, {0, 500});
  expectSums(first);
  ASSERT_EQ(first.nodes.size(), 2U);
  EXPECT_EQ(first.nodes[0].self_ns, 900);
  // Without its caller an event is a root.
  const auto second = flameOf(trace, times, track, {500, 2000});
  expectSums(second);
  ASSERT_EQ(second.nodes.size(), 1U);
  EXPECT_EQ(second.nodes[0].parent, -1);
  EXPECT_EQ(second.total_ns, 200);
}

TEST(Flame, KeepsToItsTrack) {
  TraceBuilder builder;
  const auto track = builder.track("main thread");
  const auto other = builder.track("loader worker 0");
  builder.op(track, "aten::mm", 0, 100);
  builder.op(other, "aten::stack", 0, 60);
  const auto trace = builder.build();
  EXPECT_EQ(whole(trace, other).total_ns, 60);
  EXPECT_EQ(whole(trace, track).nodes.size(), 1U);
  EXPECT_TRUE(whole(trace, 7).nodes.empty());
}

TEST(Flame, EventsShorterThanAMicrosecondSum) {
  TraceBuilder builder;
  const auto track = builder.track("main thread");
  builder.op(track, "outer", 0, 999);
  builder.op(track, "middle", 1, 997);
  builder.op(track, "inner", 2, 995);
  builder.op(track, "nothing", 3, 0);
  const auto flame = whole(builder.build());
  expectSums(flame);
  EXPECT_EQ(flame.nodes[0].self_ns, 2);
  EXPECT_EQ(flame.depth, 4);
}

TEST(FlameSvg, IsStandaloneAndEscapesAnyName) {
  TraceBuilder builder;
  const auto track = builder.track("main thread");
  builder.op(track, "<script>alert(\"1\" & '2')</script>", 0, 1'500'000);
  builder.op(track, std::string("bad\x01\xff\xed\xa0\x80 ") + "é", 10, 1'000'000);
  const auto trace = builder.build();
  const auto svg = flameSvg(trace, whole(trace), "A & B <i>");
  EXPECT_TRUE(svg.starts_with("<?xml"));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_NE(svg.find("&lt;script&gt;alert(&quot;1&quot; &amp; &apos;2&apos;)&lt;/script&gt;"), std::string::npos);
  EXPECT_NE(svg.find("A &amp; B &lt;i&gt;"), std::string::npos);
  EXPECT_NE(svg.find("bad\uFFFD\uFFFD"), std::string::npos);
  EXPECT_NE(svg.find("é"), std::string::npos);
  EXPECT_EQ(svg.find_first_of(std::string("\x01\xff", 2)), std::string::npos);
  EXPECT_EQ(times(svg, "<rect x="), 2U);
  EXPECT_EQ(times(svg, "<title>"), times(svg, "</title>"));
  EXPECT_NE(svg.find("1.50 ms · 100.00 % · × 1"), std::string::npos);
  EXPECT_NE(svg.find("width=\"1200\""), std::string::npos);
  for (const char* outside : {"href", "@import", "url("}) EXPECT_EQ(svg.find(outside), std::string::npos) << outside;
}

TEST(FlameSvg, LeavesOutWhatNobodySeesAndSaysSo) {
  TraceBuilder builder;
  const auto track = builder.track("main thread");
  builder.op(track, "large", 0, 1'000'000);
  builder.op(track, "just seen", 1'000'000, 90);
  builder.op(track, "not seen", 2'000'000, 80);
  const auto trace = builder.build();
  const auto svg = flameSvg(trace, whole(trace), "");
  EXPECT_NE(svg.find("just seen"), std::string::npos);
  EXPECT_EQ(svg.find("not seen"), std::string::npos);
  EXPECT_NE(svg.find("<!-- 1 boxes are not drawn"), std::string::npos);
}

TEST(FlameSvg, OfNothingIsAnEmptyPicture) {
  TraceBuilder builder;
  const auto track = builder.track("main thread");
  builder.op(track, "nothing", 3, 0);
  const auto trace = builder.build();
  for (const auto& flame : {Flame{}, whole(trace)}) {
    const auto svg = flameSvg(trace, flame, "empty");
    EXPECT_EQ(times(svg, "<g>"), 0U);
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_TRUE(svg.ends_with("</svg>\n"));
  }
}

TEST(FlameSvg, ColoursByStage) {
  TraceBuilder builder;
  const auto track = builder.track("main thread");
  builder.step(track, 0, 1000);
  builder.stage(track, Stage::Forward, 0, 400);
  builder.stage(track, Stage::Backward, 400, 600);
  const auto trace = builder.build();
  const auto svg = flameSvg(trace, whole(trace), "");
  EXPECT_EQ(times(svg, "#56b4e9"), 1U);
  EXPECT_EQ(times(svg, "#e0a0c6"), 1U);
  EXPECT_NE(svg.find(">step\n"), std::string::npos);  // not the number of the first of many
}

TEST(XmlText, RepairsWhatXmlForbids) {
  EXPECT_EQ(repairedText("plain é 深 😀\n\t"), "plain é 深 😀\n\t");
  EXPECT_EQ(repairedText(std::string("a\0b", 3)), "a\uFFFDb");
  EXPECT_EQ(repairedText("\xc0\xaf"), "\uFFFD\uFFFD");                      // overlong
  EXPECT_EQ(repairedText("\xe2\x82"), "\uFFFD\uFFFD");                      // cut off
  EXPECT_EQ(repairedText("\xef\xbf\xbe"), "\uFFFD\uFFFD\uFFFD");            // U+FFFE
  EXPECT_EQ(repairedText("\xf5\x80\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");  // beyond Unicode
  EXPECT_EQ(repairedText("\xe0\x80\x80"), "\uFFFD\uFFFD\uFFFD");            // overlong in three
}

TEST(XmlText, ClipsByCharactersNotBytes) {
  EXPECT_EQ(clippedText("abcd", 4), "abcd");
  EXPECT_EQ(clippedText("abcde", 4), "abc…");
  EXPECT_EQ(clippedText("éèàù", 4), "éèàù");
  EXPECT_EQ(clippedText("éèàùô", 4), "éèà…");
  EXPECT_EQ(clippedText("abc", 1), "…");
  EXPECT_EQ(clippedText("abc", 0), "");
  EXPECT_EQ(clippedText("", 3), "");
}

}  // namespace atelier::trace
