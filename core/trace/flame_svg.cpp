#include <algorithm>
#include <array>
#include <charconv>

#include "flame.h"
#include "index.h"
#include "xml_text.h"

namespace atelier::trace {
namespace {

constexpr double kWidth = 1200, kRow = 18, kHead = 30, kLetter = 6.6;
constexpr double kNarrowest = 0.1;  // narrower boxes are not drawn
constexpr int kDeepest = 400;       // deeper ones neither: a file that a browser still opens

// By Stage: grey, orange, blue, pink, green, yellow of Okabe and Ito, on which black is read.
constexpr std::array<const char*, kStages> kColours{"#c8c8c8", "#e69f00", "#56b4e9", "#e0a0c6", "#4fc79e", "#f0e442"};

std::string fixed(double value, int decimals) {
  char buffer[400];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, decimals).ptr};
}

std::string timeText(std::int64_t ns) {
  const auto value = static_cast<double>(ns);
  if (ns < 1000) return std::to_string(ns) + " ns";
  if (ns < 1'000'000) return fixed(value / 1e3, 1) + " µs";
  if (ns < 1'000'000'000) return fixed(value / 1e6, 2) + " ms";
  return fixed(value / 1e9, 2) + " s";
}

// A module by its path, steps without the number of the first.
std::string labelOf(const Trace& trace, const FlameNode& node) {
  const auto& name = trace.names[at(node.name)];
  if (node.kind == Kind::Step) {
    const auto end = name.find_last_not_of("0123456789# ");
    return end == std::string::npos ? name : name.substr(0, end + 1);
  }
  if (node.kind != Kind::Module || node.module < 0) return name;
  const auto& module = trace.modules[at(node.module)];
  return module.path.empty() ? module.type : module.path + " (" + module.type + ")";
}

// As many characters as the box has room for.
std::string fitted(const std::string& text, double width) {
  const auto room = width < 3 * kLetter ? 0 : static_cast<std::size_t>((width - 6) / kLetter);
  return clippedText(text, room);
}

std::string box(const Trace& trace, const Flame& flame, const FlameNode& node) {
  const double scale = kWidth / static_cast<double>(flame.total_ns);
  const double x = static_cast<double>(node.offset_ns) * scale, width = static_cast<double>(node.total_ns) * scale;
  const double y = kHead + kRow * node.depth;
  const auto label = repairedText(labelOf(trace, node));
  const auto share = 100 * static_cast<double>(node.total_ns) / static_cast<double>(flame.total_ns);
  const auto tip = label + "\n" + timeText(node.total_ns) + " · " + fixed(share, 2) + " % · × " + std::to_string(node.calls);
  std::string svg = "<g><title>" + xmlText(tip) + "</title><rect x=\"" + fixed(x, 2) + "\" y=\"" + fixed(y, 0) + "\" width=\"" +
                    fixed(width, 2) + "\" height=\"" + fixed(kRow - 1, 0) + "\" fill=\"" +
                    kColours[static_cast<std::size_t>(node.stage) % kStages] + "\" stroke=\"#ffffff\" stroke-width=\"0.5\"/>";
  if (const auto text = fitted(label, width); !text.empty())
    svg += "<text x=\"" + fixed(x + 3, 2) + "\" y=\"" + fixed(y + 12.5, 1) + "\">" + xmlText(text) + "</text>";
  return svg + "</g>\n";
}

}  // namespace

std::string flameSvg(const Trace& trace, const Flame& flame, const std::string& title) {
  std::string boxes;
  std::size_t left = 0;
  for (const auto& node : flame.nodes) {
    const bool drawn = flame.total_ns > 0 && node.depth < kDeepest &&
                       static_cast<double>(node.total_ns) * kWidth >= kNarrowest * static_cast<double>(flame.total_ns);
    if (drawn) boxes += box(trace, flame, node);
    else ++left;
  }
  const double height = kHead + kRow * std::min(flame.depth, kDeepest) + 6;
  std::string svg = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
                    fixed(kWidth, 0) + "\" height=\"" + fixed(height, 0) + "\" viewBox=\"0 0 " + fixed(kWidth, 0) + " " +
                    fixed(height, 0) + "\" font-family=\"Inter, Arial, sans-serif\" font-size=\"11\">\n";
  if (left > 0)
    svg += "<!-- " + std::to_string(left) + " boxes are not drawn: narrower than 0.1 px, or more than " +
           std::to_string(kDeepest) + " levels deep -->\n";
  svg += "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n<text x=\"6\" y=\"20\" font-size=\"14\">" +
         xmlText(repairedText(title)) + "</text>\n";
  return svg + boxes + "</svg>\n";
}

}  // namespace atelier::trace
