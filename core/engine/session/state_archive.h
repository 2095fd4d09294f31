// StateArchive: what a run must keep to go on exactly, as named tensors and numbers. One function visits it for saving and for
// loading, so that the two can't differ: `archive.tensor("first_moment", m_first)`.
// Thread: the session's, between steps.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ATen/ATen.h>

#include "core/wire/result.h"

namespace atelier::engine {

// What was kept does not fit what it is put into: checkpoint.lacks {name}, checkpoint.kind {name},
// checkpoint.shape {name, wanted, got}, checkpoint.dtype {name, wanted, got}.
class StateMismatch : public std::runtime_error {
 public:
  explicit StateMismatch(wire::Message message) : std::runtime_error(textOf(message)), m_message(std::move(message)) {}
  const wire::Message& message() const { return m_message; }

 private:
  static std::string textOf(const wire::Message& message);

  wire::Message m_message;
};

class StateArchive {
 public:
  virtual ~StateArchive() = default;

  virtual bool loading() const = 0;
  // Saving: notes the tensor as it is (an undefined one as absent). Loading: copies into a defined tensor of the same shape and
  // dtype, makes an undefined one on `device`; one that was absent becomes undefined. Throws StateMismatch where the archive has
  // no such name, another shape or another dtype.
  virtual void tensor(const std::string& name, at::Tensor& tensor, at::Device device = at::kCPU) = 0;
  virtual void integer(const std::string& name, std::int64_t& value) = 0;
  virtual void number(const std::string& name, double& value) = 0;
  virtual void text(const std::string& name, std::string& value) = 0;

  // As many tensors as there were: "name.0", "name.1", … and their count.
  void tensors(const std::string& name, std::vector<at::Tensor>& list, at::Device device = at::kCPU);
  void flag(const std::string& name, bool& value);

  // Names that follow get "scope." in front, until it is left.
  class Scope {
   public:
    Scope(StateArchive& archive, std::string_view name);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    StateArchive& m_archive;
    std::size_t m_length;
  };

 protected:
  std::string full(const std::string& name) const { return m_prefix + name; }
  // What tensor() does in loading with the one that was kept as `name`.
  static void put(const std::string& name, const at::Tensor& kept, at::Tensor& tensor, at::Device device);

 private:
  std::string m_prefix;
};

// Shows an archive all that is to be kept: a trainer's state(), say.
using StateVisit = std::function<void(StateArchive&)>;

}  // namespace atelier::engine
