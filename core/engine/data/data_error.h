// DataError: a sample that can't be had, found only when its batch is made: in a loader's worker, thrown there, passed on by
// next(), and told where a run's exceptions end. Carries ids and arguments, as every expected failure does. Any thread.
#pragma once

#include <exception>
#include <utility>

#include "core/wire/result.h"

namespace atelier::engine {

class DataError final : public std::exception {
 public:
  explicit DataError(wire::Error error) : m_error(std::move(error)) {}
  const wire::Error& error() const { return m_error; }
  // The id alone: sentences are the catalog's.
  const char* what() const noexcept override { return m_error.messages.empty() ? "" : m_error.messages.front().id.c_str(); }

 private:
  wire::Error m_error;
};

}  // namespace atelier::engine
