#include "process.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <dirent.h>
#include <sched.h>
#include <unistd.h>

namespace atelier::engine {
namespace {

double ticksPerSecond() {
  return static_cast<double>(sysconf(_SC_CLK_TCK));
}

// A number at the text's beginning; 0 when there is none. Never through the locale.
double numberIn(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::vector<double> numbersIn(const std::string& line) {
  std::vector<double> numbers;
  for (std::size_t at = 0; at < line.size();) {
    const auto begin = line.find_first_of("0123456789", at);
    if (begin == std::string::npos) break;
    const auto end = std::min(line.find(' ', begin), line.size());
    numbers.push_back(numberIn(std::string_view(line).substr(begin, end - begin)));
    at = end;
  }
  return numbers;
}

std::string firstLine(const std::string& file) {
  std::ifstream input(file);
  std::string line;
  std::getline(input, line);
  return line;
}

// Fields of /proc/PID/stat after the command's closing parenthesis: [0] is the state, field 3 of the manual page.
std::vector<std::string> statFields(const std::string& pid) {
  const auto line = firstLine("/proc/" + pid + "/stat");
  const auto close = line.rfind(')');
  std::vector<std::string> fields;
  if (close == std::string::npos) return fields;
  std::istringstream rest(line.substr(close + 1));
  for (std::string field; rest >> field;) fields.push_back(field);
  return fields;
}

// `session`: the tree's; "" at its root, which decides.
void addTree(const std::string& pid, const std::string& session, TreeUsage& usage, int depth) {
  const auto fields = statFields(pid);
  if (fields.size() < 22 || depth > 16 || (!session.empty() && fields[3] != session)) return;
  for (const int index : {11, 12, 13, 14})
    usage.cpu_seconds += numberIn(fields[static_cast<std::size_t>(index)]) / ticksPerSecond();
  usage.rss_bytes += static_cast<std::int64_t>(numberIn(fields[21])) * sysconf(_SC_PAGESIZE);
  std::istringstream children(firstLine("/proc/" + pid + "/task/" + pid + "/children"));
  for (std::string child; children >> child;) addTree(child, fields[3], usage, depth + 1);
}

}  // namespace

SystemTimes systemTimes() {
  // user nice system idle iowait irq softirq steal, of all cores together
  const auto n = numbersIn(firstLine("/proc/stat"));
  if (n.size() < 8) return {};
  return {(n[0] + n[1] + n[2] + n[5] + n[6]) / ticksPerSecond(), n[7] / ticksPerSecond()};
}

TreeUsage treeUsage(int process) {
  TreeUsage usage;
  addTree(std::to_string(process > 0 ? process : getpid()), "", usage, 0);
  return usage;
}

double processCpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double runQueueWaitSeconds(int process) {
  const auto folder = "/proc/" + (process > 0 ? std::to_string(process) : std::string("self")) + "/task/";
  double total = 0;
  DIR* tasks = opendir(folder.c_str());
  if (!tasks) return 0;
  while (const dirent* entry = readdir(tasks)) {
    if (entry->d_name[0] == '.') continue;
    const auto n = numbersIn(firstLine(folder + entry->d_name + "/schedstat"));
    if (n.size() >= 2) total += n[1] * 1e-9;
  }
  closedir(tasks);
  return total;
}

int availableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  const auto quota = numbersIn(firstLine("/sys/fs/cgroup/cpu.max"));  // "max PERIOD" without a quota
  if (quota.size() == 2 && quota[1] > 0) cores = std::min(cores, static_cast<int>(std::ceil(quota[0] / quota[1])));
  return std::max(1, cores);
}

double fastestCoreMegahertz() {
  double fastest = 0;
  for (int core = 0; core < 1024; ++core) {
    const auto kilohertz = firstLine("/sys/devices/system/cpu/cpu" + std::to_string(core) + "/cpufreq/scaling_cur_freq");
    if (kilohertz.empty()) break;
    fastest = std::max(fastest, numberIn(kilohertz) / 1000);
  }
  return fastest;
}

double millisecondsSinceStart() {
  const auto fields = statFields("self");
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  if (fields.size() < 20) return 0;
  return (static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9 - numberIn(fields[19]) / ticksPerSecond()) *
         1000;
}

double loadAverage() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : 0;
}

}  // namespace atelier::engine
