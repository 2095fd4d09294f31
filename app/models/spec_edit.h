// SpecEdit: a spec while it is being edited. Every value is kept as it was typed, so that a mistake is named instead of being
// corrected, and nothing typed is lost. What a key starts from is its default, or another spec's value (the reference).
// Keys that the schema does not know are kept apart until they are left out. Logic only; GUI thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/wire/option.h"

namespace atelier::app {

class SpecEdit {
 public:
  // What is being edited is kept, and read anew.
  void setSchema(const wire::Schema& schema);
  const wire::Schema& schema() const { return m_schema; }
  // Forgets what could be undone.
  void setSpec(const nlohmann::json& spec);
  void setReference(const nlohmann::json& spec);  // not an object: the defaults

  // Only keys that differ from the defaults. A value that is a mistake stands there as it was typed: whoever runs the spec is
  // refused with the reason, rather than running something else.
  nlohmann::json spec() const;
  std::vector<wire::Message> mistakes() const;

  // REQUIRES of the following: the key is in the schema.
  std::string typed(const std::string& key) const;
  // Changes of one key in a row are undone as one, until seal().
  void type(const std::string& key, const std::string& text);
  void seal() { m_typing.clear(); }
  void reset(const std::string& key);  // to the reference
  void resetAll();
  std::optional<wire::Message> mistake(const std::string& key) const;
  bool changed(const std::string& key) const;  // from the default
  bool differs(const std::string& key) const;  // from the reference
  std::string reference(const std::string& key) const;

  // Keys that this engine does not know, with their values.
  const nlohmann::json& strays() const { return m_state.strays; }
  void dropStrays();

  bool canUndo() const { return !m_past.empty(); }
  bool canRedo() const { return !m_future.empty(); }
  void undo();
  void redo();

 private:
  using Texts = std::map<std::string, std::string>;  // what is not written as the default is
  struct State {
    Texts typed;
    nlohmann::json strays = nlohmann::json::object();
    bool operator==(const State& other) const { return typed == other.typed && strays == other.strays; }
  };
  State read(const nlohmann::json& spec) const;
  std::string fallback(const std::string& key) const;
  void put(Texts& texts, const std::string& key, const std::string& text) const;
  void change(State state, const std::string& typing);

  wire::Schema m_schema;
  nlohmann::json m_given = nlohmann::json::object(), m_reference;  // as handed in: read again with another schema
  State m_state;
  Texts m_from;  // the reference
  std::vector<State> m_past, m_future;
  std::string m_typing;  // the key that is being typed into
};

// What `to` does otherwise than `from`, defaults filled in: as `race --b` takes it. Values that are no mistake are compared as
// values ("64" is 64).
nlohmann::json specDifference(const wire::Schema& schema, const nlohmann::json& from, const nlohmann::json& to);

// "batch = 64 · precision = bf16"; "" for none.
std::string specWords(const wire::Schema& schema, const nlohmann::json& spec);

}  // namespace atelier::app
