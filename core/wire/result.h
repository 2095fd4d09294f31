// Expected failures. A function that can fail for a reason outside the program's control returns Result<T>: a value, or
// an Error that carries ids and arguments, never sentences. Sentences are made from ids by a Catalog, in the reader's language.
// Any thread; values only.
#pragma once

#include <cassert>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace atelier::wire {

// What a program of Atelier leaves to its caller. The numbers are a contract for scripts.
enum class ExitCode : int { Done = 0, Usage = 2, Failed = 3, OutOfMemory = 4, NoDevice = 5, Interrupted = 130 };

// A catalog id and the values that its text mentions as {name}.
struct Message {
  std::string id;
  std::vector<std::pair<std::string, std::string>> args{};

  bool operator==(const Message&) const = default;
};

// One or more messages, the gravest first, and the exit code that they mean.
struct Error {
  ExitCode code = ExitCode::Failed;
  std::vector<Message> messages;

  Error() = default;
  Error(ExitCode exitCode, Message message) : code(exitCode), messages{std::move(message)} {}
  Error(ExitCode exitCode, std::vector<Message> all) : code(exitCode), messages(std::move(all)) {}
  bool operator==(const Error&) const = default;
};

// REQUIRES: value() only when ok(), error() only when !ok().
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : m_state(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : m_state(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return m_state.index() == 0; }
  explicit operator bool() const { return ok(); }
  const T& value() const& {
    assert(ok());
    return *std::get_if<0>(&m_state);
  }
  T& value() & {
    assert(ok());
    return *std::get_if<0>(&m_state);
  }
  T&& value() && {
    assert(ok());
    return std::move(*std::get_if<0>(&m_state));
  }
  const Error& error() const {
    assert(!ok());
    return *std::get_if<1>(&m_state);
  }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }

 private:
  std::variant<T, Error> m_state;
};

struct Nothing {};
using Status = Result<Nothing>;
inline Status success() {
  return Nothing{};
}

}  // namespace atelier::wire
