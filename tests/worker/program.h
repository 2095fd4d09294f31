// Runs the real atelier-engine as a user or a script would.
#pragma once

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace atelier::worker {

struct Output {
  int code = -1;  // −signal when killed
  std::string out, err;
  nlohmann::json json() const { return nlohmann::json::parse(out, nullptr, false); }
};

// A home of its own for each test, removed at the end.
class Home {
 public:
  Home() {
    char name[] = "/tmp/atelier-worker-XXXXXX";
    m_folder = mkdtemp(name);
  }
  ~Home() { std::filesystem::remove_all(m_folder); }
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;
  const std::filesystem::path& folder() const { return m_folder; }

 private:
  std::filesystem::path m_folder;
};

inline std::string readAll(const std::string& file) {
  std::string text;
  if (FILE* input = fopen(file.c_str(), "rb")) {
    char bytes[65536];
    while (const auto count = fread(bytes, 1, sizeof bytes, input)) text.append(bytes, count);
    fclose(input);
  }
  return text;
}

// `line` is what a shell would be given, with $E for the program; `environment` stands before it.
inline Output shell(const Home& home, const std::string& line, const std::string& environment = "") {
  const auto out = home.folder() / "out", err = home.folder() / "err";
  const auto command = "export ATELIER_HOME='" + home.folder().string() + "' E='" ATELIER_BIN_DIR "/atelier-engine'; " +
                       environment + " ( " + line + " ) >'" + out.string() + "' 2>'" + err.string() + "' </dev/null";
  const int status = std::system(command.c_str());
  Output output;
  output.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  output.out = readAll(out);
  output.err = readAll(err);
  return output;
}

}  // namespace atelier::worker
