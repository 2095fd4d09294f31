// The chosen data folder: in force at the next start, refused where nothing could be written, passed over where it is gone.
#include "core/registry/home.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "core/registry/registry.h"

namespace atelier::registry {
namespace {

namespace fs = std::filesystem;

class HomeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    m_root = fs::temp_directory_path() / ("atelier-home-" + makeRunId());
    fs::create_directories(m_root);
    ::unsetenv("ATELIER_HOME");
    ::setenv("XDG_CONFIG_HOME", (m_root / "config").c_str(), 1);
    ::setenv("XDG_DATA_HOME", (m_root / "data").c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("XDG_CONFIG_HOME");
    ::unsetenv("XDG_DATA_HOME");
    std::error_code ignored;
    fs::remove_all(m_root, ignored);
  }
  void writeChoice(const std::string& content) const {
    fs::create_directories(m_root / "config/atelier");
    std::ofstream(m_root / "config/atelier/home") << content;
  }

  fs::path m_root;
};

}  // namespace

TEST_F(HomeTest, AChoiceHoldsUntilItIsTakenBack) {
  EXPECT_EQ(defaultHome(), m_root / "data/atelier");
  const auto wanted = m_root / "class laptop" / "données";
  ASSERT_TRUE(chooseHome(wanted).ok());
  EXPECT_TRUE(fs::is_directory(wanted));
  EXPECT_EQ(chosenHome(), wanted);
  EXPECT_EQ(defaultHome(), wanted);
  ::setenv("ATELIER_HOME", "/a/home", 1);
  EXPECT_EQ(defaultHome(), "/a/home");
  ::unsetenv("ATELIER_HOME");
  ASSERT_TRUE(chooseHome({}).ok());
  EXPECT_EQ(chosenHome(), "");
  EXPECT_EQ(defaultHome(), m_root / "data/atelier");
  EXPECT_TRUE(chooseHome({}).ok()) << "nothing to take back";
}

TEST_F(HomeTest, AFolderThatIsGoneIsPassedOver) {
  const auto wanted = m_root / "stick";
  ASSERT_TRUE(chooseHome(wanted).ok());
  fs::remove_all(wanted);
  EXPECT_EQ(chosenHome(), wanted);
  EXPECT_EQ(defaultHome(), usualHome());
  EXPECT_FALSE(fs::exists(wanted));
}

TEST_F(HomeTest, WhatCanNotHoldDataIsRefusedAndTheChoiceKept) {
  const auto good = m_root / "good";
  ASSERT_TRUE(chooseHome(good).ok());
  std::ofstream(m_root / "file") << "x";
  const auto inFile = chooseHome(m_root / "file" / "below");
  ASSERT_FALSE(inFile.ok());
  EXPECT_EQ(inFile.error().messages.front().id, "home.not_usable");
  const auto relative = chooseHome("somewhere");
  ASSERT_FALSE(relative.ok());
  EXPECT_EQ(relative.error().messages.front().id, "home.not_absolute");
  EXPECT_FALSE(chooseHome(m_root / "two\nlines").ok());
  EXPECT_EQ(chosenHome(), good);
}

TEST_F(HomeTest, AHostileChoiceIsNone) {
  writeChoice("relative/path\n");
  EXPECT_EQ(chosenHome(), "");
  writeChoice(std::string(100'000, 'x'));
  EXPECT_EQ(chosenHome(), "");
  writeChoice("");
  EXPECT_EQ(chosenHome(), "");
  fs::remove(m_root / "config/atelier/home");
  fs::create_directories(m_root / "config/atelier/home");
  EXPECT_EQ(chosenHome(), "");
  EXPECT_EQ(defaultHome(), usualHome());
}

}  // namespace atelier::registry
