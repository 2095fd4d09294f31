// TimelineRows: rows of stretches of time that are asked for by what a screen can show: for a span and a pixel's width at most
// about two boxes a pixel, found by searching, so that the cost hangs on the pixels and not on how much there is. What is
// narrower than a pixel is merged with its neighbours there into one box, tinted as most of its time is.
// Invariant: in a row the stretches are in order and don't overlap (they may have no length). Pure; const: any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "trace_tint.h"

namespace atelier::app {

// One stretch, or `count` of them that stand one after the other and share a pixel.
struct TimelineBox {
  std::int64_t from = 0, to = 0;  // ns
  std::size_t first = 0;          // position of the first one
  std::size_t count = 1;
  Tint tint = Tint::Plain;
};

class TimelineRows {
 public:
  void reserve(std::size_t stretches);
  // To the row that is open. REQUIRES: from ≥ the end of the last one there; to ≥ from.
  void add(std::int64_t from, std::int64_t to, Tint tint, std::int32_t id);
  void endRow();
  // Once, after the last row: what merging needs.
  void finish();

  std::size_t rows() const { return m_ends.size(); }
  std::size_t size() const { return m_from.size(); }  // positions, row after row
  std::size_t begin(std::size_t row) const { return row == 0 ? 0 : m_ends[row - 1]; }
  std::size_t end(std::size_t row) const { return m_ends[row]; }
  std::int32_t id(std::size_t position) const { return m_ids[position]; }
  std::int64_t from(std::size_t position) const { return m_from[position]; }
  std::int64_t to(std::size_t position) const { return m_to[position]; }
  Tint tint(std::size_t position) const { return m_tints[position]; }

  // The boxes of a row that are seen between two times, in order; replaces what is in `boxes`. Pixels begin at multiples of
  // their width since time 0, so that moving the span merges nothing anew. REQUIRES: finish(); pixel > 0, in ns.
  void visible(std::size_t row, double from, double to, double pixel, std::vector<TimelineBox>& boxes) const;
  // The position that stands at that time, or else begins or ends nearest to it within `reach` ns.
  std::optional<std::size_t> at(std::size_t row, double time, double reach = 0) const;

 private:
  // Running sums of time by tint, one a block: with them the tint of any run costs two parts of a block.
  static constexpr std::size_t kBlock = 32;
  using Sums = std::array<std::int64_t, kTints>;

  std::size_t firstEndingAt(std::size_t begin, std::size_t end, double time) const;
  std::size_t firstStartingAt(std::size_t begin, std::size_t end, double time) const;
  Tint mostOf(std::size_t begin, std::size_t end) const;
  void addTimes(std::size_t begin, std::size_t end, Sums& sums) const;
  TimelineBox boxOf(std::size_t begin, std::size_t end) const;

  std::vector<std::int64_t> m_from, m_to;
  std::vector<std::int32_t> m_ids;
  std::vector<Tint> m_tints;
  std::vector<std::size_t> m_ends;  // of rows
  std::vector<Sums> m_blocks;       // up to the block's begin
};

}  // namespace atelier::app
