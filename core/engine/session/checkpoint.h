// A checkpoint file: all that a run needs to go on exactly. Python's torch.load(file, weights_only=True) reads it as a dict:
// "model" is the state_dict by module paths, "state" all else by dotted names, beside "run", "step" and "spec" (JSON).
// We ourselves never run the pickle: an index of JSON in the same archive says where each tensor's bytes lie, and check sums
// cover the index, the pickle and every tensor. A file that was cut short, altered, or made by another program is refused
// before anything of it is used. Any thread; the visits are those of the caller's.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <variant>

#include "checkpoint_index.h"
#include "core/wire/result.h"
#include "state_archive.h"

namespace atelier::engine {

// In a run's folder.
inline constexpr const char* kCheckpointFile = "checkpoint.pt";
inline constexpr const char* kWeightsFile = "weights.safetensors";

// Writes all that `visit` shows; returns the file's size. Until it is whole the former file stays. Fails with file.disk_full or
// file.not_written {file, reason}.
wire::Result<std::int64_t> writeCheckpoint(const std::filesystem::path& file, const CheckpointHead& head,
                                           const StateVisit& visit);

// A checkpoint that was read whole and found sound.
class Checkpoint {
 public:
  using Value = std::variant<at::Tensor, std::int64_t, double, std::string>;

  // Fails with checkpoint.not_there {file}, checkpoint.foreign {file}, checkpoint.cut_short {file}, checkpoint.newer {file},
  // checkpoint.damaged {file, part}.
  static wire::Result<std::shared_ptr<const Checkpoint>> open(const std::filesystem::path& file);

  const CheckpointHead& head() const { return m_head; }
  const std::map<std::string, Value>& values() const { return m_values; }

  // Gives it back to what `visit` shows. Fails as StateMismatch says, and with checkpoint.left_over {name} where something was
  // kept that nobody asked for; what was loaded by then stays loaded.
  wire::Status load(const StateVisit& visit) const;

 private:
  CheckpointHead m_head;
  std::map<std::string, Value> m_values;
};

}  // namespace atelier::engine
