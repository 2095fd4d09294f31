#include "core/engine/data/installed.h"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace atelier::engine {
namespace {

// The variable as it was, afterwards.
class Variable {
 public:
  explicit Variable(const char* name)
      : m_name(name), m_set(std::getenv(name) != nullptr), m_value(m_set ? std::getenv(name) : "") {}
  ~Variable() {
    if (m_set) ::setenv(m_name, m_value.c_str(), 1);
    else ::unsetenv(m_name);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

  void set(const char* value) const { ::setenv(m_name, value, 1); }
  void unset() const { ::unsetenv(m_name); }

 private:
  const char* m_name;
  bool m_set;
  std::string m_value;
};

}  // namespace

TEST(Installed, ModelsAreThoseOfTheSetUpUnlessAFolderIsNamed) {
  const Variable variable("ATELIER_MODELS");
  variable.unset();
  ASSERT_EQ(installedModels().size(), 1U);
  EXPECT_EQ(installedModels()[0].string(), ATELIER_MODELS_DIR);
  variable.set("");
  EXPECT_EQ(installedModels()[0].string(), ATELIER_MODELS_DIR) << "empty is as good as unset";
  variable.set("/elsewhere/models");
  ASSERT_EQ(installedModels().size(), 1U);
  EXPECT_EQ(installedModels()[0].string(), "/elsewhere/models");
}

TEST(Installed, SentencesAreThoseOfTheSetUpUnlessAFolderIsNamed) {
  const Variable variable("ATELIER_SENTENCES");
  variable.unset();
  EXPECT_EQ(sentencesFolder().string(), ATELIER_SENTENCES_DIR);
  variable.set("/elsewhere/sentences");
  EXPECT_EQ(sentencesFolder().string(), "/elsewhere/sentences");
}

}  // namespace atelier::engine
