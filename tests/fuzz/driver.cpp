// Runs a fuzzer without libFuzzer, so that any compiler will do:
//   fuzz_WHAT [--seconds N] [--seed S] [--keep FILE] [--write FOLDER] [FILE|FOLDER]…
// First the seeds and the files given, then mutations of both for N seconds of processor time (0: none), so that a busy machine
// tries as much as an idle one. The input at hand is mapped to the file kept: the kernel holds on to it whatever becomes of this
// process, and it is removed at a good end.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz.h"
#include "mutate.h"

namespace {

namespace fs = std::filesystem;
using namespace atelier::fuzz;

constexpr long kLongest = 60;  // processor seconds for the inputs of about one second

struct Asked {
  long long seconds = 0, seed = 1;
  fs::path keep, write;
  std::vector<fs::path> inputs;
};

class KeptInput {
 public:
  explicit KeptInput(const fs::path& file)
      : m_file(file), m_fd(::open(file.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    require(m_fd >= 0, "the input can be kept");
    m_map = ::mmap(nullptr, kLargestInput, PROT_READ | PROT_WRITE, MAP_SHARED, m_fd, 0);
    require(m_map != MAP_FAILED, "the input can be mapped");
  }
  ~KeptInput() {
    ::munmap(m_map, kLargestInput);
    ::close(m_fd);
    ::unlink(m_file.c_str());
  }
  KeptInput(const KeptInput&) = delete;
  KeptInput& operator=(const KeptInput&) = delete;

  void put(std::string_view input) {
    require(input.size() <= kLargestInput && ::ftruncate(m_fd, static_cast<off_t>(input.size())) == 0, "the input fits");
    if (!input.empty()) std::memcpy(m_map, input.data(), input.size());
  }

 private:
  fs::path m_file;
  int m_fd;
  void* m_map = nullptr;
};

std::optional<long long> numberOf(std::string_view text) {
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0 ? std::optional(value) : std::nullopt;
}

std::optional<Asked> readArguments(int argc, char** argv) {
  Asked asked;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word(argv[i]);
    if (!word.starts_with("--")) {
      asked.inputs.emplace_back(word);
      continue;
    }
    if (++i == argc) return std::nullopt;
    const auto number = numberOf(argv[i]);
    if (word == "--seconds" && number) asked.seconds = *number;
    else if (word == "--seed" && number) asked.seed = *number;
    else if (word == "--keep") asked.keep = argv[i];
    else if (word == "--write") asked.write = argv[i];
    else return std::nullopt;
  }
  if (asked.keep.empty()) asked.keep = fs::path(argv[0]).filename().string() + "-" + std::to_string(asked.seed) + ".input";
  return asked;
}

std::string contentOf(const fs::path& file) {
  std::ifstream input(file, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(input), {}};
  if (content.size() > kLargestInput) content.resize(kLargestInput);
  return content;
}

// Those of a folder in the order of their names; a folder that is not there is empty.
std::vector<std::string> corpus(const std::vector<fs::path>& given) {
  std::vector<std::string> all;
  for (const auto& path : given) {
    std::vector<fs::path> files;
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) files.push_back(path);
    for (fs::directory_iterator entry(path, ignored), end; entry != end; ++entry)
      if (entry->is_regular_file()) files.push_back(entry->path());
    std::sort(files.begin(), files.end());
    for (const auto& file : files) all.push_back(contentOf(file));
  }
  return all;
}

void writeSeeds(const fs::path& folder) {
  fs::create_directories(folder);
  int number = 0;
  for (const auto& seed : seeds()) writeFile(folder / ("seed-" + std::to_string(number++)), seed);
}

void runOne(KeptInput& kept, const std::string& input) {
  kept.put(input);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

// From here on this process may take kLongest.
void setHangAlarm() {
  const ::itimerval longest{{}, {kLongest, 0}};
  ::setitimer(ITIMER_PROF, &longest, nullptr);
}

double processorSeconds() {
  ::timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

long long mutateFor(KeptInput& kept, Mutator mutator, long long seconds) {
  const double begin = processorSeconds(), end = begin + static_cast<double>(seconds);
  double look = begin;
  long long runs = 0;
  for (double now = begin; now < end; now = processorSeconds()) {
    if (now >= look) {
      setHangAlarm();
      look = now + 1;
    }
    runOne(kept, mutator.next());
    ++runs;
  }
  return runs;
}

// Only what is safe in a signal's handler.
void tellHang(int) {
  static constexpr char kText[] = "\nbroken: an input takes more than a minute of processor time; it is kept\n";
  static_cast<void>(::write(STDERR_FILENO, kText, sizeof kText - 1) == 0);
  std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  const auto asked = readArguments(argc, argv);
  if (!asked) {
    std::fprintf(stderr, "%s [--seconds N] [--seed S] [--keep FILE] [--write FOLDER] [FILE|FOLDER]...\n", argv[0]);
    return 2;
  }
  if (!asked->write.empty()) {
    writeSeeds(asked->write);
    return 0;
  }
  ::signal(SIGPROF, tellHang);
  setHangAlarm();
  std::fprintf(stderr, "the input at hand: %s\n", asked->keep.c_str());
  KeptInput kept(asked->keep);
  auto pool = seeds();
  const auto given = corpus(asked->inputs);
  pool.insert(pool.end(), given.begin(), given.end());
  for (const auto& input : pool) runOne(kept, input);
  runOne(kept, "");
  const auto mutated = mutateFor(kept, Mutator(pool, words(), static_cast<std::uint32_t>(asked->seed)), asked->seconds);
  std::printf("%zu seeds, %zu files, %lld mutations in %lld s (seed %lld): %lld executions, nothing broken\n",
              pool.size() - given.size(), given.size(), mutated, asked->seconds, asked->seed,
              mutated + static_cast<long long>(pool.size()) + 1);
  return 0;
}
