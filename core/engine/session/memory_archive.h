// MemoryArchive: a state kept in memory, as clones on the tensors' own devices. Saving again over what was kept writes into the
// same memory. What it keeps counts as the variant's memory, in the phase that the thread is in.
// Thread: the session's.
#pragma once

#include <map>
#include <set>
#include <string>
#include <variant>

#include "state_archive.h"

namespace atelier::engine {

class MemoryArchive final : public StateArchive {
 public:
  using Value = std::variant<at::Tensor, std::int64_t, double, std::string>;

  // Keeps all that `visit` shows, in place of what was kept before.
  void save(const StateVisit& visit);
  // Gives it back. Throws StateMismatch.
  // REQUIRES: something was saved.
  void load(const StateVisit& visit);
  // Loading leaves names that begin so as they are: "loader." keeps its place in the data.
  void leave(std::string prefix) { m_left.push_back(std::move(prefix)); }
  const std::map<std::string, Value>& values() const { return m_values; }

  bool loading() const override { return m_loading; }
  void tensor(const std::string& name, at::Tensor& tensor, at::Device device = at::kCPU) override;
  void integer(const std::string& name, std::int64_t& value) override;
  void number(const std::string& name, double& value) override;
  void text(const std::string& name, std::string& value) override;

 private:
  template <class T>
  void visit(const std::string& name, T& value);
  template <class T>
  const T& kept(const std::string& name) const;
  bool left(const std::string& name) const;

  std::map<std::string, Value> m_values;
  std::set<std::string> m_seen;  // while saving
  std::vector<std::string> m_left;
  bool m_loading = false;
};

}  // namespace atelier::engine
