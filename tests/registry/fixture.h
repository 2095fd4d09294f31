// What the registry's tests share: a home that is removed afterwards, a run with round figures, and child processes. The
// tests fork: nothing here starts a thread.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>

#include "core/registry/registry.h"

namespace atelier::registry::testing {

namespace fs = std::filesystem;

class RegistryTest : public ::testing::Test {
 protected:
  RegistryTest() {
    auto pattern = (fs::temp_directory_path() / "atelier-registry-XXXXXX").string();
    m_home = ::mkdtemp(pattern.data());
  }
  ~RegistryTest() override {
    std::error_code ignored;
    fs::remove_all(m_home, ignored);
  }

  std::unique_ptr<Registry> open() const {
    auto opened = Registry::open(m_home);
    EXPECT_TRUE(opened.ok());
    return opened ? std::move(*opened) : nullptr;
  }

  fs::path m_home;
};

inline nlohmann::json exampleSpec() {
  return {{"model", "mlp"}, {"batch", 128}, {"seed", 7}, {"learning_rate", 0.001}};
}

inline std::string blockLine(int block, double samplesPerSecond, bool disturbed = false) {
  wire::BlockDone done;
  done.block = block;
  done.steps = 20;
  done.samples = 2560;
  done.seconds = 2560 / samplesPerSecond;
  done.samples_per_second = samplesPerSecond;
  done.loss = 1.0 / (block + 1);
  done.disturbed = disturbed;
  if (disturbed) done.reason = "busy.others";
  return wire::encodeEvent({0, block * 1'000'000'000LL, "", done});
}

inline wire::RunSummary exampleSummary() {
  wire::RunSummary summary;
  summary.seed = 7;
  summary.steps = 200;
  summary.samples_per_second = wire::Interval{1234.5, 1200.25, 1260.75, 10};
  summary.accuracy = 0.8125;
  return summary;
}

// A whole run, from one process.
inline std::string writeRun(const fs::path& home, const std::string& id = makeRunId()) {
  auto writer = RunWriter::create(home, id, exampleSpec(), {{"cpu", "test"}});
  if (!writer) return "";
  for (int block = 0; block < 3; ++block)
    if (!(*writer)->append(blockLine(block, 1000 + block))) return "";
  return (*writer)->finish(exampleSummary()) ? id : "";
}

inline pid_t startChild(const std::function<int()>& body) {
  const auto child = ::fork();
  if (child == 0) ::_exit(body());
  return child;
}

// The exit status, or 128 + the signal.
inline int waitFor(pid_t child) {
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

inline std::string contentOf(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void overwrite(const fs::path& file, const std::string& content) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
}

inline bool hasNotice(const Registry& registry, const std::string& id) {
  for (const auto& notice : registry.notices())
    if (notice.id == id) return true;
  return false;
}

template <class T>
std::string firstId(const wire::Result<T>& result) {
  return result ? "" : result.error().messages.front().id;
}

}  // namespace atelier::registry::testing
