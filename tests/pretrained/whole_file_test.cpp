#include "core/pretrained/whole_file.h"

#include <sys/resource.h>

#include <csignal>

#include "model_files.h"

namespace atelier::pretrained {
namespace {

namespace fs = std::filesystem;
using testing::contentOf;

class WholeFiles : public testing::FolderTest {
 protected:
  auto filesThere() const { return std::distance(fs::directory_iterator(m_folder), fs::directory_iterator()); }
};

}  // namespace

TEST_F(WholeFiles, IsThereOnceItIsCommitted) {
  const auto file = m_folder / "a";
  WholeFile whole(file);
  whole.write("one ", 4);
  whole.write("two", 3);
  EXPECT_FALSE(fs::exists(file));
  EXPECT_EQ(whole.size(), 7U);
  ASSERT_TRUE(whole.commit().ok());
  EXPECT_EQ(contentOf(file), "one two");
  EXPECT_EQ(filesThere(), 1);
}

TEST_F(WholeFiles, WithoutACommitTheFormerStaysAndNothingIsLeft) {
  const auto file = write("a", "before");
  {
    WholeFile whole(file);
    whole.write("after", 5);
  }
  EXPECT_EQ(contentOf(file), "before");
  EXPECT_EQ(filesThere(), 1);
}

TEST_F(WholeFiles, ReplacesWhatWasThere) {
  const auto file = write("a", "before");
  write(".a.part", "what a killed writer left, longer than what comes now");
  WholeFile whole(file);
  whole.write("after", 5);
  ASSERT_TRUE(whole.commit().ok());
  EXPECT_EQ(contentOf(file), "after");
  EXPECT_EQ(filesThere(), 1);
}

TEST_F(WholeFiles, AFolderThatIsNotThereIsTold) {
  WholeFile whole(m_folder / "none" / "a");
  whole.write("x", 1);
  const auto written = whole.commit();
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().messages.front().id, "file.not_written");
  EXPECT_EQ(testing::argument(written.error(), "file"), (m_folder / "none" / "a").string());
}

// As on a disk that is full in the middle of the file.
TEST_F(WholeFiles, AFullDiskIsAnErrorAndKeepsTheFormer) {
  std::signal(SIGXFSZ, SIG_IGN);
  const auto file = write("a", "before");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{4096, before.rlim_max};
  const std::string much(10'000, 'x');
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  wire::Status written = wire::success();
  {
    WholeFile whole(file);
    whole.write(much.data(), much.size());
    whole.write("y", 1);
    written = whole.commit();
  }
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().messages.front().id, "file.disk_full");
  EXPECT_EQ(contentOf(file), "before");
  EXPECT_EQ(filesThere(), 1);
}

}  // namespace atelier::pretrained
