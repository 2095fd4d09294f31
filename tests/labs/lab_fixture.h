// A small, valid lab written to a folder of its own, for tests to damage. The folder goes away with the fixture.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "labs/load.h"
#include "tiny_lab.h"

namespace atelier::lab {

class LabFixture : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    m_root = std::filesystem::temp_directory_path() /
             ("atelier-labs-" + std::to_string(::getpid()) + "-" + info->test_suite_name() + "-" + info->name());
    std::filesystem::remove_all(m_root);
    m_folder = m_root / "course" / "day1-morning" / "tiny";
    std::filesystem::create_directories(m_folder);
    write("lab.toml", kToml);
    for (const char* language : {"en", "fr"}) {
      write(std::string(language) + ".md", kText);
      write("instructor." + std::string(language) + ".md", "Notes\n");
    }
  }
  void TearDown() override { std::filesystem::remove_all(m_root); }

  void write(const std::string& name, const std::string& content) const {
    std::ofstream(m_folder / name, std::ios::binary) << content;
  }
  // The valid text with one passage replaced.
  static std::string with(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
  }
  static std::string arg(const wire::Message& message, const std::string& name) {
    for (const auto& [key, value] : message.args)
      if (key == name) return value;
    return {};
  }
  // Loads and expects one message, with this id at this line of this file.
  void expectRefused(const std::string& id, const std::string& file, int line) const {
    const auto lab = loadLab(m_folder, "en");
    ASSERT_FALSE(lab.ok()) << "expected " << id;
    const auto& first = lab.error().messages.front();
    EXPECT_EQ(first.id, id);
    EXPECT_EQ(arg(first, "line"), std::to_string(line));
    EXPECT_TRUE(arg(first, "file").ends_with(file)) << arg(first, "file");
  }
  Lab tiny() const {
    auto lab = loadLab(m_folder, "en");
    EXPECT_TRUE(lab.ok());
    return lab.ok() ? std::move(lab).value() : Lab{};
  }

  std::filesystem::path m_root, m_folder;
};

}  // namespace atelier::lab
