#include "series.h"

#include <set>
#include <utility>

#include "block_meter.h"

namespace atelier::engine {
namespace {

using Blocks = std::vector<std::shared_ptr<Module>>;

// Each once, though two modules may share it.
std::vector<at::Tensor> parametersOf(const Blocks& blocks) {
  std::vector<at::Tensor> all;
  std::set<const at::TensorImpl*> known;
  for (const auto& block : blocks)
    for (const auto& parameter : block->parameters())
      if (known.insert(parameter.unsafeGetTensorImpl()).second) all.push_back(parameter);
  return all;
}

// The graph of a segment may outlive the series: it holds the blocks itself.
std::shared_ptr<const Segment> segmentOf(Blocks blocks, std::size_t number, BlockMeter* meter) {
  auto segment = std::make_shared<Segment>();
  segment->parameters = parametersOf(blocks);
  if (meter) segment->observe = [meter, number](SegmentMoment moment) { meter->observe(number, moment); };
  segment->run = [blocks = std::move(blocks), number, meter](const std::vector<at::Tensor>& inputs) {
    auto hidden = inputs[0];
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (meter) meter->enter(number + i, hidden);
      hidden = (*blocks[i])(std::move(hidden), inputs[1]);
      if (meter) meter->leave(number + i, hidden);
    }
    return hidden;
  };
  return segment;
}

void collect(Module& module, std::vector<BlockRow>& rows, std::size_t& blocks) {
  auto* series = dynamic_cast<Series*>(&module);
  bool goesOn = false;  // the part before was a block of this series
  for (std::size_t i = 0; i < module.parts().size(); ++i) {
    auto& part = *module.parts()[i].second;
    const bool block = series && part.isBlock();
    if (!block) {
      collect(part, rows, blocks);
    } else {
      if (goesOn) ++rows.back().count;
      else rows.push_back({series, i, blocks, 1});
      ++blocks;
    }
    goesOn = block;
  }
}

}  // namespace

void Series::recompute(const std::vector<Span>& spans, BlockMeter* meter) {
  m_pieces.clear();
  for (const auto& span : spans) {
    Blocks blocks;
    for (auto i = span.first; i < span.end; ++i) blocks.push_back(parts().at(i).second);
    m_pieces.push_back({span.first, span.end, segmentOf(std::move(blocks), span.number, meter)});
  }
}

at::Tensor Series::run(at::Tensor input, const at::Tensor& mask) {
  std::size_t next = 0;
  const auto runTo = [&](std::size_t end) {
    for (; next < end; ++next) input = (*parts()[next].second)(std::move(input), mask);
  };
  for (const auto& piece : m_pieces) {
    runTo(piece.first);
    input = recomputed(piece.segment, {std::move(input), mask});
    next = piece.end;
  }
  runTo(parts().size());
  return input;
}

std::vector<BlockRow> blockRows(Module& root) {
  std::vector<BlockRow> rows;
  std::size_t blocks = 0;
  collect(root, rows, blocks);
  return rows;
}

}  // namespace atelier::engine
