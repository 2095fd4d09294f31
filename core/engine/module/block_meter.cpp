#include "block_meter.h"

#include <algorithm>
#include <utility>

namespace atelier::engine {
namespace {

std::int64_t storageBytes(const at::Tensor& tensor) {
  return static_cast<std::int64_t>(tensor.storage().nbytes());
}

}  // namespace

BlockMeter::BlockMeter(MemoryAccount& account, std::vector<BlockSpan> spans) : m_account(account), m_spans(std::move(spans)) {
  const auto blocks = m_spans.empty() ? 0 : m_spans.back().end;
  m_costs.inputs.resize(blocks);
  m_costs.inner.resize(blocks);
  m_inputs.resize(blocks);
}

void BlockMeter::begin() {
  m_done = 0;
  m_reached = false;
}

void BlockMeter::enter(std::size_t block, const at::Tensor& input) {
  if (recomputing()) {
    m_before = m_account.live().total;
    return;
  }
  m_inputs[block] = storageBytes(input);
  m_costs.inputs[block] = std::max(m_costs.inputs[block], m_inputs[block]);
}

// The output is the next block's input, and counts as that. What stands behind the last block begins when that is through.
void BlockMeter::leave(std::size_t block, const at::Tensor& output) {
  if (!recomputing()) {
    if (block + 1 == m_inputs.size()) m_account.startWatermark();
    return;
  }
  m_costs.inner[block] = std::max(m_costs.inner[block], m_account.live().total - m_before - storageBytes(output));
}

std::int64_t BlockMeter::keptUpTo(std::size_t block) const {
  std::int64_t kept = 0;
  for (const auto& span : m_spans)
    if (span.first <= block) kept += m_inputs[span.first];
  return kept;
}

void BlockMeter::observe(std::size_t block, SegmentMoment moment) {
  const auto live = m_account.live().total;
  switch (moment) {
    case SegmentMoment::Again:
      if (!m_reached) m_costs.head = std::max(m_costs.head, m_account.watermark() - keptUpTo(m_spans.back().first));
      m_reached = true;
      m_costs.base = std::max(m_costs.base, live - keptUpTo(block));
      break;
    case SegmentMoment::Backward:
      m_before = live;
      m_account.startWatermark();
      break;
    case SegmentMoment::Done:
      m_costs.working = std::max(m_costs.working, m_account.watermark() - m_before);
      ++m_done;
      break;
  }
}

}  // namespace atelier::engine
