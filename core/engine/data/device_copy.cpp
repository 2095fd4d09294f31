#include "device_copy.h"

#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace atelier::engine {

Batch DeviceCopy::toDevice(const Batch& batch) {
  if (!batch.input.is_pinned()) return {batch.input.to(m_device, true), batch.target.to(m_device, true)};
  const c10::impl::VirtualGuardImpl device(m_device.type());
  const auto computing = device.getStream(m_device);
  if (!m_stream) m_stream = device.getStreamFromGlobalPool(m_device, false);
  Batch copied;
  {
    const c10::StreamGuard guard(*m_stream);
    copied = {batch.input.to(m_device, true), batch.target.to(m_device, true)};
  }
  c10::Event done(m_device.type());
  done.record(*m_stream);
  done.block(computing);
  // Their memory came from the copying stream's pool; it must not be given away while the computing stream reads it.
  copied.input.record_stream(computing);
  copied.target.record_stream(computing);
  return copied;
}

}  // namespace atelier::engine
