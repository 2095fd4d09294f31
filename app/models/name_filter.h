// NameFilter: which names and modules of a trace match what was typed: all of its words stand in the name or in the module's
// path, whatever their case and accents. Every name is looked at once, however many events have it. Pure.
#pragma once

#include <QString>

#include <cstdint>
#include <vector>

#include "core/trace/trace.h"

namespace atelier::app {

class NameFilter {
 public:
  NameFilter(const trace::Trace& trace, const QString& text);

  bool active() const { return m_all != 0; }  // something was typed; else nothing matches
  // Ids of the trace; module −1: none.
  bool has(std::int32_t name, std::int32_t module) const {
    if (!active()) return false;
    const auto byModule = module < 0 ? std::uint64_t{0} : m_modules[static_cast<std::size_t>(module)];
    return (m_names[static_cast<std::size_t>(name)] | byModule) == m_all;
  }

 private:
  std::uint64_t m_all = 0;  // a bit a word
  std::vector<std::uint64_t> m_names, m_modules;
};

}  // namespace atelier::app
