// TrainingError: what makes going on with a training pointless, found while it goes; thrown in a step and told where a run's
// exceptions end. Carries ids and arguments, as every expected failure does. Any thread.
#pragma once

#include <exception>
#include <utility>

#include "core/wire/result.h"

namespace atelier::engine {

class TrainingError final : public std::exception {
 public:
  explicit TrainingError(wire::Message message) : m_error(wire::ExitCode::Failed, std::move(message)) {}
  const wire::Error& error() const { return m_error; }
  // The id alone: sentences are the catalog's.
  const char* what() const noexcept override { return m_error.messages.front().id.c_str(); }

 private:
  wire::Error m_error;
};

}  // namespace atelier::engine
