// DeviceCopy: batches on their way to a GPU. From page-locked memory they are copied on a stream of their own: while the GPU
// still computes the step before, as the thread that asks runs ahead of it. The computing stream waits for the copy, the thread
// for neither. From pageable memory the copy is made on the computing stream, and the thread waits for it.
// pin() from any thread, toDevice() from the session's.
#pragma once

#include <optional>

#include <c10/core/Stream.h>

#include "dataset.h"

namespace atelier::engine {

class DeviceCopy {
 public:
  // REQUIRES: a device that is no CPU.
  explicit DeviceCopy(at::Device device) : m_device(device) {}

  static Batch pin(const Batch& batch) { return {batch.input.pin_memory(), batch.target.pin_memory()}; }
  Batch toDevice(const Batch& batch);

 private:
  const at::Device m_device;
  std::optional<c10::Stream> m_stream;  // made with the first pinned batch
};

}  // namespace atelier::engine
