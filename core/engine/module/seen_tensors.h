// SeenTensors: whether tensors are still what they were when something was made from them: the same memory, and not written to
// by anything that counts up their versions. A fused optimizer doesn't: whoever keeps what was made forgets it when training
// begins. Not for inference tensors, which have no version.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <ATen/ATen.h>

namespace atelier::engine {

class SeenTensors {
 public:
  void remember(at::ArrayRef<at::Tensor> tensors) {
    m_seen.clear();
    for (const auto& tensor : tensors)
      m_seen.push_back({tensor.storage().getWeakStorageImpl(), tensor.const_data_ptr(), tensor._version()});
  }
  bool unchanged(at::ArrayRef<at::Tensor> tensors) const {
    return std::equal(tensors.begin(), tensors.end(), m_seen.begin(), m_seen.end(), [](const at::Tensor& now, const Seen& seen) {
      return now.storage().unsafeGetStorageImpl() == seen.storage._unsafe_get_target() && now.const_data_ptr() == seen.data &&
             now._version() == seen.version;
    });
  }
  void forget() { m_seen.clear(); }

 private:
  struct Seen {
    c10::weak_intrusive_ptr<c10::StorageImpl> storage;  // weak: its address can't be given to another storage meanwhile
    const void* data;
    std::int64_t version;
  };
  std::vector<Seen> m_seen;
};

}  // namespace atelier::engine
