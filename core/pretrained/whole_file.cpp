#include "whole_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace atelier::pretrained {
namespace {

constexpr std::size_t kPiece = 1UL << 30;  // a single write() takes no more than 2 GiB

void syncFolder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

// One name beside each file: what a killed writer left there is written over by the next.
WholeFile::WholeFile(std::filesystem::path file)
    : m_file(std::move(file)), m_beside(m_file.parent_path() / ("." + m_file.filename().string() + ".part")) {
  m_descriptor = ::open(m_beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (m_descriptor < 0) m_error = errno;
}

WholeFile::~WholeFile() {
  if (m_descriptor < 0) return;
  ::close(m_descriptor);
  ::unlink(m_beside.c_str());
}

void WholeFile::write(const void* data, std::size_t bytes) {
  const auto* at = static_cast<const char*>(data);
  m_size += bytes;
  while (m_error == 0 && bytes > 0) {
    const auto written = ::write(m_descriptor, at, std::min(bytes, kPiece));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      m_error = written < 0 ? errno : EIO;
      return;
    }
    at += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

wire::Status WholeFile::commit() {
  if (m_error == 0 && ::fsync(m_descriptor) != 0) m_error = errno;
  if (m_error == 0 && ::rename(m_beside.c_str(), m_file.c_str()) != 0) m_error = errno;
  if (m_error != 0) {
    const bool full = m_error == ENOSPC || m_error == EDQUOT || m_error == EFBIG;
    return wire::Error{wire::ExitCode::Failed,
                       {full ? "file.disk_full" : "file.not_written",
                        {{"file", m_file.string()}, {"reason", std::generic_category().message(m_error)}}}};
  }
  ::close(m_descriptor);
  m_descriptor = -1;
  syncFolder(m_file.parent_path());
  return wire::success();
}

}  // namespace atelier::pretrained
