// Chunks: a list of tensors laid end to end and cut into pieces of one size, so that threads get even work whether there are a
// few large tensors or many small ones. Each tensor starts at a multiple of a cache line, so that cuts within it do, too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace atelier::kernels {

class Chunks {
 public:
  static constexpr std::int64_t kSize = 4096;  // elements
  static constexpr std::int64_t kLine = 16;

  // Anything with a `count` each.
  template <class Tensors>
  explicit Chunks(const Tensors& tensors) {
    m_begins.reserve(tensors.size() + 1);
    m_counts.reserve(tensors.size());
    std::int64_t begin = 0;
    for (const auto& tensor : tensors) {
      m_begins.push_back(begin);
      m_counts.push_back(tensor.count);
      begin += (tensor.count + kLine - 1) / kLine * kLine;
    }
    m_begins.push_back(begin);
  }

  std::int64_t count() const { return (m_begins.back() + kSize - 1) / kSize; }

  // Calls visit(tensor's index, first element, number of elements) for what lies in chunks [begin, end), in order.
  template <class Visit>
  void visit(std::int64_t begin, std::int64_t end, const Visit& visit) const {
    const std::int64_t from = begin * kSize, to = std::min(end * kSize, m_begins.back());
    const auto above = std::upper_bound(m_begins.begin(), m_begins.end(), from);
    for (auto i = static_cast<std::size_t>(above - m_begins.begin()) - 1; i < m_counts.size() && m_begins[i] < to; ++i) {
      const std::int64_t first = std::max(from - m_begins[i], std::int64_t{0});
      const std::int64_t last = std::min(to - m_begins[i], m_counts[i]);
      if (first < last) visit(i, first, last - first);
    }
  }

 private:
  std::vector<std::int64_t> m_begins, m_counts;
};

}  // namespace atelier::kernels
