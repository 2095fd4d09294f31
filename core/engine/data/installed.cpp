#include "installed.h"

#include <cstdlib>

namespace atelier::engine {
namespace {

std::filesystem::path chosenOr(const char* variable, const char* folder) {
  const char* chosen = std::getenv(variable);
  return chosen && *chosen ? std::filesystem::path(chosen) : std::filesystem::path(ATELIER_DEPS_DIR) / folder;
}

}  // namespace

std::vector<std::filesystem::path> installedModels() {
  return {chosenOr("ATELIER_MODELS", "models")};
}

std::filesystem::path sentencesFolder() {
  return chosenOr("ATELIER_SENTENCES", "sentences");
}

}  // namespace atelier::engine
