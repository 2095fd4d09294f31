// Archives that mean harm or came to harm: none crashes, none writes outside of the home, none is taken in part.
#include <algorithm>
#include <random>

#include "archive_builder.h"
#include "core/registry/archive.h"
#include "core/registry/run_id.h"
#include "fixture.h"

namespace atelier::registry::testing {
namespace {

class HostileArchiveTest : public RegistryTest {
 protected:
  fs::path file() const { return m_home / "some.atelier"; }
  fs::path other() const { return m_home / "other"; }

  // Whether anything lies in the home but the folders that any import makes.
  bool untouched() const {
    std::error_code ignored;
    const auto runs = other() / "runs";
    if (fs::exists(runs, ignored) && !fs::is_empty(runs, ignored)) return false;
    for (const auto& entry : fs::directory_iterator(m_home))
      if (entry.path() != file() && entry.path() != other()) return false;
    for (fs::directory_iterator entry(other(), ignored), end; entry != end; ++entry)
      if (entry->path() != runs) return false;
    return true;
  }

  void expectRefused(const std::string& bytes, const std::string& id, const std::string& what) {
    overwrite(file(), bytes);
    EXPECT_EQ(firstId(importRuns(other(), file())), id) << what;
    EXPECT_EQ(firstId(readArchive(file())), id) << what;
    EXPECT_TRUE(untouched()) << what;
  }

  // The files of a sound run, and one more.
  static std::vector<TarEntry> with(TarEntry entry) {
    auto files = handmadeRun();
    files.push_back(std::move(entry));
    return files;
  }
};

TEST_F(HostileArchiveTest, AHandmadeArchiveIsTaken) {
  overwrite(file(), archiveOf(handmadeRun()));
  const auto report = importRuns(other(), file());
  ASSERT_TRUE(report.ok()) << firstId(report);
  EXPECT_EQ(report->runs, std::vector<std::string>{kHandmadeId});
  EXPECT_EQ((*Registry::open(other()))->find(kHandmadeId)->summary.steps, 7);
  EXPECT_EQ(readArchive(file())->front().environment["cpu"], "elsewhere");
}

TEST_F(HostileArchiveTest, NamesThatLeadElsewhereAreRefused) {
  const auto folder = "runs/" + kHandmadeId;
  for (const auto& name : std::vector<std::string>{"../escaped",
                                                   "/tmp/atelier-escaped",
                                                   "runs/../../escaped",
                                                   "runs/" + kHandmadeId + "/../../../escaped",
                                                   "runs/..",
                                                   "runs/./x/y",
                                                   "runs//x",
                                                   "./" + folder + "/x",
                                                   folder,
                                                   folder + "/",
                                                   folder + "//x",
                                                   folder + "/.hidden",
                                                   folder + "/.ssh/key",
                                                   folder + "/writer",
                                                   folder + "/a\\b",
                                                   folder + "/a:b",
                                                   folder + "/tr\xC3\xA8s",
                                                   folder + "/a\nb",
                                                   "runs/.new-x/spec.json",
                                                   "runs/a..b/spec.json",
                                                   "trash/x/spec.json",
                                                   "index.sqlite",
                                                   "races/x",
                                                   "races/../x.json",
                                                   "races/a/b.json",
                                                   "sweeps/.json",
                                                   folder + "/a/b/c/d/e/f/g/h"})
    expectRefused(archiveOf(with({name, "x"})), "archive.bad_entry", name);
}

TEST_F(HostileArchiveTest, OnlyPlainFilesAreTaken) {
  const auto name = "runs/" + kHandmadeId + "/artifact";
  for (const char type : {'1', '2', '3', '4', '5', '6'}) {
    TarEntry entry{name, "", type, type <= '2' ? "/etc/passwd" : ""};
    expectRefused(archiveOf(with(entry)), "archive.bad_entry", std::string("type ") + type);
  }
  expectRefused(archiveOf(with({name, "", '1', "runs/" + kHandmadeId + "/spec.json"})), "archive.bad_entry", "a link inside");
}

TEST_F(HostileArchiveTest, AFileThatIsAFolderTooIsRefused) {
  const auto name = "runs/" + kHandmadeId + "/artifact";
  auto files = with({name, "x"});
  files.push_back({name + "/inside", "y"});
  overwrite(file(), archiveOf(files));
  EXPECT_FALSE(importRuns(other(), file()).ok());
  EXPECT_TRUE(untouched());
}

TEST_F(HostileArchiveTest, WhatTheListDoesNotSayIsRefused) {
  auto files = handmadeRun();
  const auto list = listOf(files).dump();
  const auto packed = [&](std::vector<TarEntry> entries) {
    entries.insert(entries.begin(), TarEntry{kArchiveManifest, list});
    return tarOf(entries);
  };
  expectRefused(packed(with({"runs/" + kHandmadeId + "/more", "x"})), "archive.bad_entry", "a file more");
  expectRefused(packed(with(files.front())), "archive.bad_entry", "a file twice");
  auto longer = files;
  longer[0].content += " ";
  expectRefused(packed(longer), "archive.bad_entry", "another size");
  auto changed = files;
  changed[0].content[2] = 'X';
  expectRefused(packed(changed), "archive.damaged", "another content");
  auto fewer = files;
  fewer.pop_back();
  expectRefused(packed(fewer), "archive.truncated", "a file less");
}

TEST_F(HostileArchiveTest, WhatIsNoArchiveIsSaidToBeNone) {
  const auto manifest = [](const std::string& content) { return tarOf({{kArchiveManifest, content}}); };
  for (const auto& bytes :
       {std::string(), std::string("x"), std::string(4096, '\0'), std::string(4096, 'x'), std::string("\x1f\x8b\x08\0\0\0", 6),
        tarOf({}), tarOf(handmadeRun()), tarOf({{"atelier-archive.json/", "", '5'}}),
        tarOf({{kArchiveManifest, "", '2', "/etc/passwd"}}), manifest(""), manifest("{"), manifest("[]"), manifest("{}"),
        manifest(R"({"format":"other","version":1,"files":{}})"), manifest(R"({"format":"atelier-archive","version":1})"),
        manifest(R"({"format":"atelier-archive","version":1,"files":[]})"), manifest(std::string(5000, '['))})
    expectRefused(bytes, "archive.not_one", bytes.substr(0, 40));
  for (const char* version : {"2", "\"1\"", "null", "-1", "1e300"})
    expectRefused(manifest(R"({"format":"atelier-archive","files":{},"version":)" + std::string(version) + "}"),
                  "archive.version", version);
  EXPECT_EQ(firstId(importRuns(other(), m_home / "missing")), "registry.read");
  EXPECT_EQ(firstId(importRuns(other(), m_home)), "registry.read");
}

TEST_F(HostileArchiveTest, TheListItselfIsHeldToItsForm) {
  const auto name = "runs/" + kHandmadeId + "/spec.json";
  for (const char* measure : {"1", "null", "{}", R"({"bytes":-1,"crc32":0})", R"({"bytes":1.5,"crc32":0})",
                              R"({"bytes":"1","crc32":0})", R"({"bytes":1})"})
    expectRefused(
        tarOf({{kArchiveManifest, R"({"format":"atelier-archive","version":1,"files":{")" + name + "\":" + measure + "}}"}}),
        "archive.bad_entry", measure);
}

TEST_F(HostileArchiveTest, TooMuchIsRefusedBeforeAnythingIsUnpacked) {
  const auto claimed = [](const std::string& bytes) {
    return tarOf({{kArchiveManifest, R"({"format":"atelier-archive","version":1,"files":{"runs/x/a":{"bytes":)" + bytes +
                                         R"(,"crc32":0},"runs/x/b":{"bytes":)" + bytes + R"(,"crc32":0}}})"}});
  };
  for (const char* bytes : {"1073741825", "18446744073709551615"}) expectRefused(claimed(bytes), "archive.too_large", bytes);
  overwrite(file(), archiveOf(handmadeRun()));
  EXPECT_EQ(firstId(importRuns(other(), file(), {3, 1000, 1000})), "archive.too_many");
  EXPECT_EQ(firstId(importRuns(other(), file(), {4, 20, 1000})), "archive.too_large");
  EXPECT_EQ(firstId(importRuns(other(), file(), {4, 1000, 100})), "archive.too_large");
  EXPECT_TRUE(untouched());
  EXPECT_TRUE(importRuns(other(), file(), {4, 1000, 1000}).ok());
}

TEST_F(HostileArchiveTest, AHighlyPackedRunIsHeldToTheLimits) {
  const auto id = writeRun(m_home);
  overwrite(m_home / "runs" / id / "zeros", std::string(20 << 20, '\0'));
  ASSERT_TRUE(exportRuns(*open(), {id}, file()).ok());
  EXPECT_LT(fs::file_size(file()), 1U << 20);
  EXPECT_EQ(firstId(importRuns(other(), file(), {100, 10 << 20, 100 << 20})), "archive.too_large");
  EXPECT_FALSE(fs::exists(other() / "runs" / id));
}

TEST_F(HostileArchiveTest, CutOffAnywhereNothingIsTaken) {
  const auto id = writeRun(m_home);
  ASSERT_TRUE(exportRuns(*open(), {id}, file()).ok());
  const auto whole = contentOf(file());
  for (std::size_t length = 0; length + 64 < whole.size(); length += whole.size() / 40 + 1) {
    overwrite(file(), whole.substr(0, length));
    EXPECT_FALSE(importRuns(other(), file()).ok()) << length;
    EXPECT_FALSE(readArchive(file()).ok()) << length;
    EXPECT_FALSE(fs::exists(other() / "runs" / id)) << length;
  }
  const auto plain = archiveOf(handmadeRun());
  for (std::size_t length = 0; length + 2 * kTarBlock < plain.size(); length += kTarBlock / 2) {
    overwrite(file(), plain.substr(0, length));
    EXPECT_FALSE(importRuns(other(), file()).ok()) << length;
    EXPECT_FALSE(fs::exists(other() / "runs" / kHandmadeId)) << length;
  }
}

// One of: a byte changed, a piece cut out, a piece twice, a name put in; then the headers' sums are right again, as whoever
// means harm would have them.
std::string mutated(std::string tar, std::mt19937& random) {
  const auto any = [&random](std::size_t below) { return static_cast<std::size_t>(random()) % below; };
  static const std::vector<std::string> names{
      "../", "/etc/", "runs/", "..", std::string(100, 'a'), std::string(1, '\0'), "77777777777", "\xff\xff\xff\xff"};
  for (std::size_t times = any(4) + 1; times > 0; --times) {
    const auto at = any(tar.size());
    const auto kind = any(4);
    if (kind == 0) tar[at] = static_cast<char>(any(256));
    if (kind == 1) tar.erase(at, any(700) + 1);
    if (kind == 2) tar.insert(at, tar.substr(any(tar.size()), any(1500)));
    if (kind == 3) {
      const auto& name = names[any(names.size())];
      tar.replace(at, std::min(name.size(), tar.size() - at), name);
    }
    if (tar.empty()) tar = "x";
  }
  for (std::size_t at = 0; at + kTarBlock <= tar.size(); at += kTarBlock)
    if (tar.compare(at + 257, 5, "ustar") == 0) fixChecksum(tar, at);
  return tar;
}

TEST_F(HostileArchiveTest, MutationsNeverCrashAndNeverEscape) {
  const auto sound = archiveOf(handmadeRun());
  std::mt19937 random(20261130);
  int refused = 0;
  for (int round = 0; round < 400; ++round) {
    overwrite(file(), mutated(sound, random));
    const auto report = importRuns(other(), file());
    static_cast<void>(readArchive(file()));
    refused += !report.ok();
    if (!report.ok()) {
      ASSERT_TRUE(untouched()) << round;
      continue;
    }
    for (const auto& entry : fs::directory_iterator(other() / "runs"))
      ASSERT_TRUE(validId(entry.path().filename().string())) << round << " " << entry.path();
    for (const auto& entry : fs::directory_iterator(m_home))
      ASSERT_TRUE(entry.path() == file() || entry.path() == other()) << round << " " << entry.path();
    fs::remove_all(other());
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace atelier::registry::testing
