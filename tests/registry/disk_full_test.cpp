// Runs on a disk that fills up. Each is a child process, which owns the limit or the mount it is tried under.
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "core/wire/number.h"
#include "fixture.h"

namespace atelier::registry::testing {
namespace {

constexpr int kCannotMount = 77;

// Fills one run's events until nothing more fits. 0, or the number of the expectation that failed.
int fillAndFinish(const fs::path& home) {
  auto writer = RunWriter::create(home, makeRunId(), exampleSpec(), {});
  if (!writer) return 1;
  const auto line = blockLine(1, 1000);
  const auto padded = line.substr(0, line.size() - 1) + ",\"padding\":\"" + std::string(700, 'x') + "\"}";
  std::size_t lines = 0;
  auto status = (*writer)->append(padded);
  for (; status && lines < 10'000; status = (*writer)->append(padded)) ++lines;
  if (lines == 0 || firstId(status) != "registry.disk_full") return 2;
  const auto events = contentOf((*writer)->folder() / "events.jsonl");
  if (events.size() != lines * (padded.size() + 1)) return 3;
  for (std::size_t i = 0; i < lines; ++i)
    if (events.compare(i * (padded.size() + 1), padded.size() + 1, padded + "\n") != 0) return 4;
  auto summary = exampleSummary();
  summary.status = "failed";
  summary.failure = status.error().messages;
  if (!(*writer)->finish(summary)) return 5;
  const auto written = wire::parseJson(contentOf((*writer)->folder() / "summary.json"));
  if (!written || wire::runSummaryFromJson(*written).failure.front().id != "registry.disk_full") return 6;
  auto registry = Registry::open(home);
  if (!registry) return 7;
  const auto found = (*registry)->find((*writer)->id());
  if (!found || found->summary.status != "failed") return 8;
  const auto recorded = (*registry)->events((*writer)->id());
  return recorded && recorded->size() == lines ? 0 : 9;
}

// A mount of its own, gone with the process.
int onSmallDisk(const fs::path& folder) {
  if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return kCannotMount;
  if (::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=1m") != 0) return kCannotMount;
  return fillAndFinish(folder);
}

TEST_F(RegistryTest, AtTheLimitOfFileSizesTheSummaryIsStillWritten) {
  const auto child = startChild([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const struct rlimit limit { 100'000, 100'000 };
    return ::setrlimit(RLIMIT_FSIZE, &limit) == 0 ? fillAndFinish(m_home) : 100;
  });
  EXPECT_EQ(waitFor(child), 0);
}

TEST_F(RegistryTest, OnAFullDiskTheSummaryIsStillWritten) {
  const auto code = waitFor(startChild([&] { return onSmallDisk(m_home); }));
  if (code == kCannotMount) GTEST_SKIP() << "mounting a small tmpfs needs root and a private mount namespace";
  EXPECT_EQ(code, 0);
}

TEST_F(RegistryTest, WhatDoesNotFitAtAllIsRefusedAtTheStart) {
  const auto child = startChild([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const struct rlimit limit { 1000, 1000 };
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 100;
    if (firstId(RunWriter::create(m_home, makeRunId(), exampleSpec(), {})) != "registry.disk_full") return 1;
    return fs::is_empty(m_home / "runs") ? 0 : 2;
  });
  EXPECT_EQ(waitFor(child), 0);
}

}  // namespace
}  // namespace atelier::registry::testing
