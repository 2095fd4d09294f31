#include "packed_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <random>
#include <system_error>

namespace atelier::trace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = 1 << 18;

fs::path temporaryBeside(const fs::path& file) {
  char suffix[16];
  std::snprintf(suffix, sizeof suffix, ".tmp-%08x", static_cast<unsigned>(std::random_device{}()));
  return file.parent_path() / ("." + file.filename().string() + suffix);
}

int openFile(const fs::path& file, int flags) {
  int descriptor = -1;
  do descriptor = ::open(file.c_str(), flags | O_CLOEXEC, 0666);
  while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

// The name of a new file must outlast a power cut too; where a folder can't be synced nothing can be done about it.
void syncFolder(const fs::path& folder) {
  const int descriptor = openFile(folder.empty() ? fs::path(".") : folder, O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

wire::Error systemError(const char* id, wire::ExitCode code, const fs::path& file, int error) {
  return {code, wire::Message{id, {{"file", file.string()}, {"reason", std::generic_category().message(error)}}}};
}

}  // namespace

PackedWriter::PackedWriter(const fs::path& file, bool pack) : m_file(file), m_temporary(temporaryBeside(file)) {
  m_descriptor = openFile(m_temporary, O_WRONLY | O_CREAT | O_EXCL);
  if (m_descriptor < 0) {
    fail(errno);
    m_temporary.clear();
    return;
  }
  // zlib closes the descriptor that it is given, and this one is still needed then. A trace is so repetitive that packing it
  // harder than at level 1 costs more time than it saves space.
  const int given = ::fcntl(m_descriptor, F_DUPFD_CLOEXEC, 0);
  m_packed = given < 0 ? nullptr : ::gzdopen(given, pack ? "wb1" : "wbT");
  if (m_packed) ::gzbuffer(m_packed, kPiece);
  else fail(given < 0 ? errno : ENOMEM);
  if (!m_packed && given >= 0) ::close(given);
}

PackedWriter::~PackedWriter() {
  if (m_error == 0) m_error = ECANCELED;  // what is thrown away need not be synced
  closeFile();
  if (!m_temporary.empty()) ::unlink(m_temporary.c_str());
}

void PackedWriter::fail(int error) {
  if (m_error == 0) m_error = error == 0 ? EIO : error;
}

bool PackedWriter::write(std::string_view piece) {
  while (m_error == 0 && !piece.empty()) {
    const auto size = std::min(piece.size(), kPiece);
    errno = 0;
    if (::gzwrite(m_packed, piece.data(), static_cast<unsigned>(size)) <= 0) fail(errno);
    piece.remove_prefix(size);
  }
  return m_error == 0;
}

void PackedWriter::closeFile() {
  if (m_packed) {
    errno = 0;
    if (::gzclose_w(m_packed) != Z_OK) fail(errno);
    m_packed = nullptr;
  }
  if (m_descriptor < 0) return;
  if (m_error == 0 && ::fsync(m_descriptor) != 0) fail(errno);
  ::close(m_descriptor);
  m_descriptor = -1;
}

wire::Status PackedWriter::commit() {
  closeFile();
  if (m_error == 0 && ::rename(m_temporary.c_str(), m_file.c_str()) != 0) fail(errno);
  if (m_error != 0) return systemError("trace.write", wire::ExitCode::Failed, m_file, m_error);
  m_temporary.clear();
  syncFolder(m_file.parent_path());
  return wire::success();
}

wire::Result<std::unique_ptr<PackedReader>> PackedReader::open(const fs::path& file, std::int64_t most,
                                                               const std::function<bool(double)>& progress) {
  const auto missing = [&file](int error) { return systemError("trace.missing", wire::ExitCode::Usage, file, error); };
  const int descriptor = openFile(file, O_RDONLY | O_NONBLOCK);  // a pipe put there must not hang the reader
  if (descriptor < 0) return missing(errno);
  struct stat state {};
  const int error = ::fstat(descriptor, &state) != 0 ? errno : S_ISDIR(state.st_mode) ? EISDIR : EINVAL;
  if (!S_ISREG(state.st_mode)) {
    ::close(descriptor);
    return missing(error);
  }
  std::unique_ptr<PackedReader> reader(new PackedReader);
  reader->m_packed = ::gzdopen(descriptor, "rb");
  if (!reader->m_packed) {
    ::close(descriptor);
    return missing(ENOMEM);
  }
  ::gzbuffer(reader->m_packed, kPiece);
  reader->m_buffer.resize(kPiece);
  reader->m_progress = progress;
  reader->m_size = state.st_size;
  reader->m_most = most;
  return reader;
}

PackedReader::~PackedReader() {
  if (m_packed) ::gzclose_r(m_packed);
}

std::string_view PackedReader::next() {
  if (m_over) return {};
  const int count = ::gzread(m_packed, m_buffer.data(), static_cast<unsigned>(m_buffer.size()));
  m_over = count <= 0;
  if (count < 0) {
    int code = 0;
    m_reason = ::gzerror(m_packed, &code);
    m_end = End::Damaged;
  }
  if (m_over) return {};
  m_read += count;
  const auto share = static_cast<double>(::gzoffset(m_packed)) / static_cast<double>(std::max<std::int64_t>(1, m_size));
  if (m_read > m_most) m_end = End::TooLarge;
  else if (m_progress && !m_progress(std::clamp(share, 0.0, 1.0))) m_end = End::Cancelled;
  m_over = m_end != End::None;
  return m_over ? std::string_view() : std::string_view(m_buffer.data(), static_cast<std::size_t>(count));
}

}  // namespace atelier::trace
