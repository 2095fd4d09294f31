// Sets of moments: stretches of time in order that neither overlap nor touch. Pure; any thread.
#pragma once

#include <cstdint>
#include <vector>

namespace atelier::trace {

struct Interval {
  std::int64_t from = 0, to = 0;  // ns; to is not in it
  bool operator==(const Interval&) const = default;
};

using Intervals = std::vector<Interval>;

// Any stretches, in any order, made one set.
Intervals united(Intervals stretches);
Intervals common(const Intervals& a, const Intervals& b);
// What is in a and not in b.
Intervals without(const Intervals& a, const Intervals& b);
std::int64_t lengthOf(const Intervals& set);

}  // namespace atelier::trace
