// Details of operators, each kept once: a training loop calls the same operators with the same shapes at every step.
// Internal to the room. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace.h"

namespace atelier::trace {

class Details {
 public:
  // The id of an equal detail, new or known.
  std::int32_t add(Detail detail);
  // All of them by id. Once.
  std::vector<Detail> take() { return std::move(m_details); }

 private:
  std::vector<Detail> m_details;
  std::unordered_map<std::string, std::int32_t> m_ids;
  std::string m_key;
};

}  // namespace atelier::trace
