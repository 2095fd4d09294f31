#include "process.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <dirent.h>
#include <sched.h>
#include <unistd.h>

namespace atelier::engine {
namespace {

double ticksPerSecond() { return static_cast<double>(sysconf(_SC_CLK_TCK)); }

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

void addTree(const std::string& pid, TreeUsage& usage, int depth) {
  const auto fields = statFields(pid);
  if (fields.size() < 22 || depth > 16) return;
  for (const int index : {11, 12, 13, 14}) usage.cpu_seconds += std::atof(fields[static_cast<std::size_t>(index)].c_str()) / ticksPerSecond();
  usage.rss_bytes += std::atoll(fields[21].c_str()) * sysconf(_SC_PAGESIZE);
  std::istringstream children(firstLine("/proc/" + pid + "/task/" + pid + "/children"));
  for (std::string child; children >> child;) addTree(child, usage, depth + 1);
}

}  // namespace

SystemTimes systemTimes() {
  std::istringstream line(firstLine("/proc/stat"));
  std::string name;
  double user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0;
  line >> name >> user >> nice >> system >> idle >> wait >> irq >> soft >> steal;
  return {(user + nice + system + irq + soft) / ticksPerSecond(), steal / ticksPerSecond()};
}

TreeUsage treeUsage() {
  TreeUsage usage;
  addTree(std::to_string(getpid()), usage, 0);
  return usage;
}

double processCpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double runQueueWaitSeconds() {
  double total = 0;
  DIR* tasks = opendir("/proc/self/task");
  if (!tasks) return 0;
  while (const dirent* entry = readdir(tasks)) {
    if (entry->d_name[0] == '.') continue;
    std::istringstream line(firstLine(std::string("/proc/self/task/") + entry->d_name + "/schedstat"));
    double running = 0, waiting = 0;
    line >> running >> waiting;
    total += waiting * 1e-9;
  }
  closedir(tasks);
  return total;
}

int availableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  std::istringstream quota(firstLine("/sys/fs/cgroup/cpu.max"));
  double allowed = 0, period = 0;
  if (quota >> allowed >> period && period > 0) cores = std::min(cores, static_cast<int>(std::ceil(allowed / period)));
  return std::max(1, cores);
}

double coreMegahertz() {
  const auto kilohertz = firstLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq");
  return kilohertz.empty() ? 0 : std::atof(kilohertz.c_str()) / 1000;
}

double millisecondsSinceStart() {
  const auto fields = statFields("self");
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  if (fields.size() < 20) return 0;
  return (static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9 - std::atof(fields[19].c_str()) / ticksPerSecond()) * 1000;
}

double loadAverage() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : 0;
}

}  // namespace atelier::engine
