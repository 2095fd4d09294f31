#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "files.h"
#include "index.h"
#include "registry.h"
#include "run_files.h"
#include "run_folder.h"
#include "run_id.h"
#include "run_lock.h"

namespace atelier::registry {
namespace {

namespace fs = std::filesystem;

wire::Error existsError(const std::string& id) {
  return {wire::ExitCode::Failed, wire::Message{"registry.exists", {{"run", id}}}};
}

class FolderWriter final : public RunWriter {
 public:
  FolderWriter(fs::path home, std::string id, Descriptor events)
      : m_home(std::move(home)), m_id(std::move(id)), m_folder(m_home / "runs" / m_id), m_events(std::move(events)) {}

  const std::string& id() const override { return m_id; }
  const fs::path& folder() const override { return m_folder; }

  wire::Status append(std::string_view eventLine) override {
    std::string line(eventLine);
    line += '\n';
    const int error = writeAll(m_events.get(), line);
    if (error == 0) {
      m_size += static_cast<off_t>(line.size());
      return wire::success();
    }
    auto failure = systemError("registry.write", m_folder / "events.jsonl", error);
    // Should even this fail, the torn line is left for the readers, who skip it.
    if (::ftruncate(m_events.get(), m_size) != 0) failure.messages.push_back({"registry.torn", {{"run", m_id}}});
    return failure;
  }

  wire::Status finish(const wire::RunSummary& summary) override {
    ::fdatasync(m_events.get());
    auto named = summary;
    named.id = m_id;
    auto written = writeSummary(m_folder, named);
    if (written) indexRun(m_home, m_id);
    return written;
  }

 private:
  fs::path m_home;
  std::string m_id;
  fs::path m_folder;
  Descriptor m_events;
  off_t m_size = 0;  // bytes of whole lines; nobody else writes while the lock is held
};

// Makes the folder's first files and returns its events file, locked.
wire::Result<std::unique_ptr<RunWriter>> fill(const fs::path& home, const fs::path& building, const std::string& id,
                                              const nlohmann::json& spec, const nlohmann::json& environment) {
  if (auto status = reserveSummary(building); !status) return status.error();
  if (auto status = writeWhole(building / kSpecFile, jsonText(spec)); !status) return status.error();
  if (auto status = writeWhole(building / "environment.json", jsonText(environment)); !status) return status.error();
  const auto file = building / "events.jsonl";
  auto events = openFile(file, O_RDWR | O_CREAT | O_EXCL | O_APPEND);
  if (!events) return systemError("registry.write", file, errno);
  if (auto status = holdRun(events.get(), building); !status) return status.error();
  return std::unique_ptr<RunWriter>(std::make_unique<FolderWriter>(home, id, std::move(events)));
}

}  // namespace

wire::Result<std::unique_ptr<RunWriter>> RunWriter::create(const fs::path& home, const std::string& id,
                                                           const nlohmann::json& spec, const nlohmann::json& environment) {
  if (auto status = checkId(id); !status) return status.error();
  const auto runs = home / "runs", folder = runs / id;
  // Filled and locked under a name that no reader looks at: a run is seen only when it can't be taken for a killed one.
  const auto building = runs / (".new-" + id);
  std::error_code error;
  fs::create_directories(runs, error);
  if (error) return systemError("registry.write", runs, error.value());
  if (fs::exists(folder, error)) return existsError(id);
  if (!fs::create_directory(building, error))
    return error ? systemError("registry.write", building, error.value()) : existsError(id);
  auto writer = fill(home, building, id, spec, environment);
  if (writer) fs::rename(building, folder, error);
  if (!writer || error) {
    std::error_code ignored;
    fs::remove_all(building, ignored);
    if (!writer) return writer;
    const bool taken = error == std::errc::directory_not_empty || error == std::errc::file_exists;
    return taken ? existsError(id) : systemError("registry.write", folder, error.value());
  }
  syncFolder(runs);
  indexRun(home, id);
  return writer;
}

}  // namespace atelier::registry
