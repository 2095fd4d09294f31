// Traces in files: packed and plain, damaged, on a full disk, given up.
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "core/trace/chrome_json.h"
#include "trace_builder.h"
#include "trace_equal.h"

namespace atelier::trace::testing {
namespace {

namespace fs = std::filesystem;

class ChromeFile : public ::testing::Test {
 protected:
  void SetUp() override {
    auto pattern = (fs::temp_directory_path() / "atelier-trace-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    m_folder = pattern;
  }
  void TearDown() override { fs::remove_all(m_folder); }

  // More than a reader takes at once.
  static Trace longTrace() {
    TraceBuilder b;
    const auto t = b.track("main");
    for (std::int64_t i = 0; i < 20'000; ++i)
      b.op(t, "aten::op" + std::to_string(i * 7919 % 5000), i * 1000, 500 + i % 300, {{i % 97, 3}});
    return b.build();
  }

  static std::string contentOf(const fs::path& file) {
    std::ifstream input(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(input), {}};
  }

  void write(const std::string& name, std::string_view content) const {
    std::ofstream output(m_folder / name, std::ios::binary | std::ios::trunc);
    output.write(content.data(), static_cast<std::streamsize>(content.size()));
  }

  std::string idOf(const std::string& name, const ReadLimits& limits = {}) const {
    const auto result = readChromeTrace(m_folder / name, limits);
    return result.ok() ? "" : result.error().messages.front().id;
  }

  std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(m_folder), fs::directory_iterator()); }

  fs::path m_folder;
};

}  // namespace

TEST_F(ChromeFile, IsPackedUnlessItsNameEndsInJson) {
  const auto trace = longTrace();
  ASSERT_TRUE(writeChromeTrace(trace, m_folder / "a.json.gz").ok());
  ASSERT_TRUE(writeChromeTrace(trace, m_folder / "a.json").ok());
  EXPECT_EQ(files(), 2);  // and nothing else is left
  const auto packed = contentOf(m_folder / "a.json.gz"), plain = contentOf(m_folder / "a.json");
  EXPECT_TRUE(packed.starts_with("\x1f\x8b"));
  EXPECT_EQ(plain, chromeTraceText(trace));
  EXPECT_LT(packed.size() * 3, plain.size());
  for (const char* name : {"a.json.gz", "a.json"}) {
    const auto again = readChromeTrace(m_folder / name);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(difference(trace, *again), "") << name;
  }
}

TEST_F(ChromeFile, PackedOrPlainIsToldByItsContent) {
  ASSERT_TRUE(writeChromeTrace(longTrace(), m_folder / "a.json.gz").ok());
  fs::rename(m_folder / "a.json.gz", m_folder / "b.json");
  EXPECT_EQ(idOf("b.json"), "");
}

TEST_F(ChromeFile, DamageIsToldNeverRead) {
  ASSERT_TRUE(writeChromeTrace(longTrace(), m_folder / "a.json.gz").ok());
  const auto packed = contentOf(m_folder / "a.json.gz");
  write("half.json.gz", std::string_view(packed).substr(0, packed.size() / 2));
  EXPECT_EQ(idOf("half.json.gz"), "trace.truncated");
  write("empty.json", "");
  EXPECT_EQ(idOf("empty.json"), "trace.truncated");
  auto changed = packed;
  for (std::size_t i = changed.size() / 2; i < changed.size() / 2 + 64; ++i) changed[i] = '\x55';
  write("changed.json.gz", changed);
  EXPECT_NE(idOf("changed.json.gz"), "");
  changed = packed;
  changed[changed.size() - 6] = static_cast<char>(changed[changed.size() - 6] ^ 1);  // the checksum
  write("checksum.json.gz", changed);
  EXPECT_EQ(idOf("checksum.json.gz"), "trace.damaged");
}

TEST_F(ChromeFile, WhatIsNoFileIsRefused) {
  EXPECT_EQ(idOf("nothing.json"), "trace.missing");
  fs::create_directory(m_folder / "folder.json");
  EXPECT_EQ(idOf("folder.json"), "trace.missing");
  ASSERT_EQ(::mkfifo((m_folder / "pipe.json").c_str(), 0600), 0);
  EXPECT_EQ(idOf("pipe.json"), "trace.missing");
}

TEST_F(ChromeFile, WhatUnpacksToTooMuchIsRefused) {
  ASSERT_TRUE(writeChromeTrace(longTrace(), m_folder / "a.json.gz").ok());
  EXPECT_EQ(idOf("a.json.gz", {4'000'000, 1'000'000}), "trace.too_large");
}

TEST_F(ChromeFile, ReadingTellsHowFarItIsAndCanBeGivenUp) {
  ASSERT_TRUE(writeChromeTrace(longTrace(), m_folder / "a.json").ok());
  std::vector<double> shares;
  ASSERT_TRUE(readChromeTrace(m_folder / "a.json", {}, [&shares](double share) {
                shares.push_back(share);
                return true;
              }).ok());
  ASSERT_GT(shares.size(), 3U);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_LT(shares.front(), 0.6);
  EXPECT_DOUBLE_EQ(shares.back(), 1);
  int asked = 0;
  const auto given = readChromeTrace(m_folder / "a.json", {}, [&asked](double) { return ++asked < 3; });
  ASSERT_FALSE(given.ok());
  EXPECT_EQ(given.error().messages.front().id, "trace.cancelled");
  EXPECT_EQ(given.error().code, wire::ExitCode::Interrupted);
  EXPECT_EQ(asked, 3);
}

TEST_F(ChromeFile, WhereNothingCanBeWrittenNothingIsLeft) {
  const auto status = writeChromeTrace(longTrace(), m_folder / "no folder" / "a.json.gz");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().messages.front().id, "trace.write");
  EXPECT_EQ(files(), 0);
}

TEST_F(ChromeFile, WhenNoMoreFitsWhatStoodThereStays) {
  write("a.json", "before");
  const auto trace = longTrace();
  const auto child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const struct rlimit limit { 100'000, 100'000 };
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(1);
    const auto status = writeChromeTrace(trace, m_folder / "a.json");
    ::_exit(!status.ok() && status.error().messages.front().id == "trace.write" ? 0 : 2);
  }
  int state = 0;
  ASSERT_EQ(::waitpid(child, &state, 0), child);
  EXPECT_TRUE(WIFEXITED(state));
  EXPECT_EQ(WEXITSTATUS(state), 0);
  EXPECT_EQ(contentOf(m_folder / "a.json"), "before");
  EXPECT_EQ(files(), 1);
}

}  // namespace atelier::trace::testing
