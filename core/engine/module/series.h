// Series: a module whose parts run one after the other, each taking what the one before it made. Spans of them can be
// recomputed in backward (recompute.h); who calls the series sees no difference.
// Thread: that of the model's calls; spans are set between them.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "module.h"
#include "recompute.h"

namespace atelier::engine {

class BlockMeter;

class Series : public Module {
 public:
  // Parts [first, end) as one segment. `number`: of the first of them among all blocks of the model, for a meter.
  struct Span {
    std::size_t first, end, number = 0;
  };
  // Instead of those before; in rising order, none reaching into another. A meter must outlive them.
  void recompute(const std::vector<Span>& spans, BlockMeter* meter = nullptr);

 protected:
  at::Tensor run(at::Tensor input, const at::Tensor& mask);

 private:
  struct Piece {
    std::size_t first, end;
    std::shared_ptr<const Segment> segment;
  };
  std::vector<Piece> m_pieces;
};

// Neighbouring blocks (Module::isBlock) of one series.
struct BlockRow {
  Series* series;
  std::size_t first;   // the first of them among the series' parts
  std::size_t number;  // … among all blocks of the model
  std::size_t count;
};

// All blocks of a model, in the order in which they run; none is looked for within another.
std::vector<BlockRow> blockRows(Module& root);

}  // namespace atelier::engine
