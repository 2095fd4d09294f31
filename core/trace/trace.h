// Trace: what a profiler saw, ours or PyTorch's: operators, user ranges, modules, kernels, copies and memory on their tracks,
// in integer nanoseconds. It knows neither Torch nor Qt: the engine makes one, a file holds one (chrome_json.h), every
// analysis here takes one, and the window draws one.
// Invariants once finish() was called: events are sorted by (track, start, −duration); `parent` of an event is the innermost
// one on its track that encloses it, and stands before it; ids point into the tables of the trace. Values only; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace atelier::trace {

enum class Kind : std::uint8_t {
  Operator,     // an ATen operator or an autograd node
  Range,        // a user's range; ours mark stages
  Step,         // one training step ("step 12"; PyTorch's "ProfilerStep#12")
  Module,       // a module's forward
  Runtime,      // a call of the device's runtime (cudaLaunchKernel, cudaMemcpyAsync)
  Kernel,       // on a device
  Copy,         // memcpy on a device
  Set,          // memset on a device
  Synchronize,  // the host waits for a device
  Loader,       // a batch made by a loader's worker thread
  Python,       // a Python frame
  Other,
};

// Of a training step. None: outside of a step, or not known.
enum class Stage : std::uint8_t { None, Data, Forward, Backward, Optimizer, Other };
inline constexpr std::size_t kStages = 6;

// What an allocation is for. Unknown: made before the profile, or by a program that doesn't say.
enum class Category : std::uint8_t { Weights, Gradients, Optimizer, Activations, Other, Unknown };
inline constexpr std::size_t kCategories = 6;

struct Track {
  std::string name;          // "main thread", "loader worker 1", "stream 7"
  std::int64_t process = 0;  // as the trace says it
  std::int64_t id = 0;       // thread or stream
  int device = -1;           // −1: a thread of the host; else the GPU whose stream this is
};

struct TensorInfo {
  std::vector<std::int64_t> sizes;
  std::string dtype;  // "float", "long int", "c10::BFloat16", as Kineto writes them; "" unknown
};

// What an operator was called with. Absent parts are empty: not recorded.
struct Detail {
  std::vector<TensorInfo> inputs;    // one a tensor argument (tensor lists are flattened)
  std::vector<std::string> scalars;  // of the other arguments, in order, as Kineto writes them: "[1, 1]", "True"
  std::string stack;                 // innermost frame first, ";" between
};

struct Event {
  std::int64_t start = 0, duration = 0;  // ns since the trace's start
  std::int32_t name = 0;                 // in names
  std::int32_t track = 0;                // in tracks
  std::int32_t parent = -1;              // in events
  std::int32_t module = -1;              // in modules: of an operator, its backward node, a kernel; −1 none
  std::int32_t detail = -1;              // in details
  std::int32_t step = -1;                // number of the step that it belongs to, from 0 within the trace; −1 none
  std::int64_t correlation = 0;          // joins a Runtime call and what it started on a device; 0 none
  std::int64_t sequence = -1;            // autograd's number, joins a forward operator and its backward node; −1 none
  std::int64_t bytes = -1;               // of a Copy or Set; −1 not known
  Kind kind = Kind::Other;
  Stage stage = Stage::None;
  bool backward = false;  // runs below an autograd node
  std::int64_t end() const { return start + duration; }
};

struct Module {
  std::string path;  // "features.0.conv"; "" the root
  std::string type;  // "Conv2d"
};

struct Allocation {
  std::int64_t time = 0;   // ns since the trace's start
  std::int64_t bytes = 0;  // > 0 allocated, < 0 freed
  std::uint64_t address = 0;
  std::int32_t event = -1;  // innermost event of its thread at that moment; −1 none
  int device = -1;          // −1: host memory
  Category category = Category::Unknown;
};

// Live bytes when the trace began, by category (Unknown: by nobody told).
struct MemoryAtStart {
  std::int64_t bytes[kCategories] = {};
};

class Trace {
 public:
  std::vector<std::string> names;
  std::vector<Track> tracks;
  std::vector<Module> modules;
  std::vector<Detail> details;
  std::vector<Event> events;
  std::vector<Allocation> memory;  // by time
  MemoryAtStart memory_at_start;
  std::string origin = "atelier";  // "atelier" or "pytorch"
  std::string title;               // what was profiled
  std::string device;              // of the device the work ran on: the GPU's name, or "" for a CPU
  // What was left out to bound the trace, to be said wherever the trace is shown.
  std::int64_t events_cut = 0, memory_cut = 0;

  // The id of a name, new or known.
  std::int32_t name(std::string_view text);
  std::int32_t module(std::string_view path, std::string_view type);
  const std::string& nameOf(const Event& event) const { return names[static_cast<std::size_t>(event.name)]; }
  const Detail* detailOf(const Event& event) const {
    return event.detail < 0 ? nullptr : &details[static_cast<std::size_t>(event.detail)];
  }
  bool onDevice(const Event& event) const { return tracks[static_cast<std::size_t>(event.track)].device >= 0; }
  bool hasDevice() const;  // some track is a device's

  // Sorts; sets parents, stages, steps and modules (from enclosing Step, Range and Module events; from `sequence` for
  // backward nodes; from `correlation` for what runs on a device); each allocation's event and, where Unknown, its
  // category by the stage it was made in. An event that ends after the one it began in is cut at its parent's end.
  // Sources may give events in any order, and allocations with `event` as the track's index on which they happened.
  void finish();

 private:
  std::unordered_map<std::string, std::int32_t> m_nameIds, m_moduleIds;
};

// "data", "forward", …: names of the ranges that mark stages, and of stages in JSON.
std::string_view stageName(Stage stage);
Stage stageOf(std::string_view name);  // None when it is no stage's
std::string_view categoryName(Category category);
// What is allocated in a stage, where nothing tells it better.
Category categoryOf(Stage stage);

}  // namespace atelier::trace
