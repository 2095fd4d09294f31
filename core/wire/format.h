// Numbers as a reader's language writes them, for screens, tables and the PDF; never for files. English: 2,107 and 1.42;
// French: 2 107 (narrow no-break space) and 1,42. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "summary.h"

namespace atelier::wire {

class Format {
 public:
  explicit Format(std::string_view language) : m_french(language == "fr") {}

  // `digits` significant figures (all digits of the integer part kept); "—" for NaN, "∞" for infinity.
  std::string number(double value, int digits = 3) const;
  std::string compact(double value, int digits = 3) const;  // number() without trailing zeros: "0.98", "10"
  std::string fixed(double value, int decimals) const;
  std::string integer(std::int64_t value) const;
  std::string percent(double share, int decimals = 1) const;          // 0.881 → "88.1 %"
  std::string ratio(double value) const;                              // "1.42×", in French "1,42 ×"
  std::string interval(const Interval& value, int digits = 3) const;  // "[1.37, 1.47]", in French "[1,37 ; 1,47]"
  std::string bytes(std::int64_t bytes) const;                        // "412 MiB"
  std::string duration(double seconds) const;                         // "18 s", "2 min 5 s", "2 min", "640 ms"

 private:
  bool m_french;
};

}  // namespace atelier::wire
