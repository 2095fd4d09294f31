#include "live_memory.h"

#include <algorithm>
#include <vector>

#include <c10/core/CachingDeviceAllocator.h>

namespace atelier::engine {
namespace {

using trace::Category;

std::int64_t& bytesOf(trace::MemoryAtStart& memory, Category category) {
  return memory.bytes[static_cast<std::size_t>(category)];
}

// Each storage once, whatever the tensors that share it.
std::int64_t bytesOf(const std::vector<at::Tensor>& tensors) {
  std::unordered_set<const void*> seen;
  std::int64_t bytes = 0;
  for (const auto& tensor : tensors)
    if (tensor.defined() && tensor.has_storage() && seen.insert(tensor.storage().data()).second)
      bytes += static_cast<std::int64_t>(tensor.storage().nbytes());
  return bytes;
}

std::vector<at::Tensor> weights(const Module& model) {
  auto all = model.parameters();
  for (const auto& buffer : model.buffers()) all.push_back(buffer);
  return all;
}

trace::MemoryAtStart liveOnDevice(const Module& model, c10::Device device) {
  const auto stats = c10::getDeviceAllocator(device.type())->getDeviceStats(device.index());
  const auto total = stats.allocated_bytes[static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE)].current;
  std::vector<at::Tensor> gradients;
  for (const auto& parameter : model.parameters()) gradients.push_back(parameter.grad());
  trace::MemoryAtStart memory;
  const auto weighed = bytesOf(memory, Category::Weights) = bytesOf(weights(model));
  const auto learnt = bytesOf(memory, Category::Gradients) = bytesOf(gradients);
  bytesOf(memory, Category::Unknown) = std::max<std::int64_t>(0, total - weighed - learnt);
  return memory;
}

}  // namespace

std::unordered_set<const void*> weightStorages(const Module& model) {
  std::unordered_set<const void*> storages;
  for (const auto& tensor : weights(model))
    if (tensor.defined() && tensor.has_storage()) storages.insert(tensor.storage().data());
  return storages;
}

trace::MemoryAtStart liveMemory(Trainer& trainer) {
  const auto device = trainer.plan().device;
  if (!device.is_cpu()) return liveOnDevice(trainer.model(), device);
  const auto live = trainer.memory().live();
  trace::MemoryAtStart memory;
  bytesOf(memory, Category::Weights) = live.weights;
  bytesOf(memory, Category::Gradients) = live.gradients;
  bytesOf(memory, Category::Optimizer) = live.optimizer;
  bytesOf(memory, Category::Activations) = live.activations;
  bytesOf(memory, Category::Other) = live.other;
  return memory;
}

}  // namespace atelier::engine
