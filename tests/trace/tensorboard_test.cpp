#include "core/trace/tensorboard.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/trace/chrome_json.h"
#include "trace_builder.h"

namespace atelier::trace {
namespace {

namespace fs = std::filesystem;

class TensorBoard : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "atelier-tensorboard-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    m_folder = pattern;
  }
  void TearDown() override { fs::remove_all(m_folder); }

  static Trace trace() {
    testing::TraceBuilder builder;
    const auto track = builder.track("main thread");
    builder.step(track, 0, 1000);
    builder.op(track, "aten::mm", 100, 300, {{8, 32}, {32, 16}});
    return builder.build();
  }

  static std::vector<std::string> filesIn(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
    return names;
  }

  fs::path m_folder;
};

// What TensorBoard's plug-in takes for a trace, and the worker in it.
const std::regex kPluginPattern(R"(^(.*?)(\.\d+)?\.pt\.trace\.json(?:\.gz)?$)");

}  // namespace

TEST_F(TensorBoard, LeavesOneFileThatThePluginFinds) {
  const auto folder = m_folder / "log" / "run";
  ASSERT_TRUE(writeTensorBoard(trace(), folder, "node-3_4711", 1'700'000'000'123).ok());
  ASSERT_EQ(filesIn(folder), std::vector<std::string>{"node-3_4711.1700000000123.pt.trace.json.gz"});
  std::smatch match;
  const auto name = filesIn(folder)[0];
  ASSERT_TRUE(std::regex_match(name, match, kPluginPattern));
  EXPECT_EQ(match[1], "node-3_4711");
}

TEST_F(TensorBoard, TheFileIsTheTraceCompressed) {
  ASSERT_TRUE(writeTensorBoard(trace(), m_folder, "host_1", 5).ok());
  const auto file = m_folder / "host_1.5.pt.trace.json.gz";
  std::ifstream input(file, std::ios::binary);
  EXPECT_EQ(input.get(), 0x1f);
  EXPECT_EQ(input.get(), 0x8b);
  const auto read = readChromeTrace(file);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->events.size(), 2U);
  EXPECT_GE(testing::find(*read, "aten::mm"), 0);
}

TEST_F(TensorBoard, WorkersStandBesideOneAnother) {
  ASSERT_TRUE(writeTensorBoard(trace(), m_folder, "host_1", 5).ok());
  ASSERT_TRUE(writeTensorBoard(trace(), m_folder, "host_2", 5).ok());
  ASSERT_TRUE(writeTensorBoard(trace(), m_folder, "host_1", 6).ok());
  EXPECT_EQ(filesIn(m_folder).size(), 3U);
}

TEST_F(TensorBoard, AWorkersNameNeverLeavesTheFolder) {
  ASSERT_TRUE(writeTensorBoard(trace(), m_folder / "in", "../../etc/pass\nwd", 1).ok());
  ASSERT_TRUE(writeTensorBoard(trace(), m_folder / "in", "", 2).ok());
  ASSERT_TRUE(writeTensorBoard(trace(), m_folder / "in", std::string(5000, 'x'), 3).ok());
  EXPECT_EQ(filesIn(m_folder), std::vector<std::string>{"in"});
  EXPECT_EQ(filesIn(m_folder / "in").size(), 3U);
  EXPECT_TRUE(fs::exists(m_folder / "in" / "_._.._etc_pass_wd.1.pt.trace.json.gz"));
  EXPECT_TRUE(fs::exists(m_folder / "in" / "worker.2.pt.trace.json.gz"));
}

TEST_F(TensorBoard, AFolderThatCannotBeMadeIsSaid) {
  std::ofstream(m_folder / "file") << "in the way";
  const auto done = writeTensorBoard(trace(), m_folder / "file" / "log", "host_1", 5);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().messages.front().id, "trace.write");
  EXPECT_EQ(done.error().messages.front().args.front().first, "file");
}

}  // namespace atelier::trace
