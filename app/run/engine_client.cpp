#include "engine_client.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QPointer>
#include <QProcessEnvironment>
#include <QStandardPaths>

#include <sys/prctl.h>
#include <unistd.h>
#include <csignal>

#include <utility>

#include "core/wire/number.h"

namespace atelier::app {
namespace {

constexpr int kGrace = 10'000, kLastGrace = 2'000;  // milliseconds
constexpr qsizetype kLongestLine = 64 << 20;        // bytes; an endless line must not eat the memory
constexpr qsizetype kKeptLog = 64 << 10;
constexpr int kShownLogLines = 20;
constexpr int kSlice = 4;                       // milliseconds of lines between two turns of the event loop
constexpr qsizetype kLargestBacklog = 1 << 20;  // bytes that may wait for the next turn

std::string lastLines(const QByteArray& log) {
  auto lines = QString::fromUtf8(log).trimmed().split(QLatin1Char('\n'));
  if (lines.size() > kShownLogLines) lines = lines.mid(lines.size() - kShownLogLines);
  return lines.join(QLatin1Char('\n')).toStdString();
}

void keepTail(QByteArray& log) {
  if (log.size() > kKeptLog) log.remove(0, log.size() - kKeptLog);
}

wire::ExitCode knownCode(int code) {
  switch (code) {
    case 2:
    case 4:
    case 5:
    case 130:
      return static_cast<wire::ExitCode>(code);
    default:
      return wire::ExitCode::Failed;
  }
}

// Between fork and exec: only calls that are safe there. The signal mask is reset because headless mode blocks SIGINT.
void prepareChild() {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

wire::Result<nlohmann::json> answerOf(const QByteArray& output, const QByteArray& log, int exitCode, bool crashed) {
  const auto json = wire::parseJson(output.toStdString());
  if (!crashed && exitCode == 0 && json) return *json;
  if (json && json->is_object() && json->contains("messages")) {
    auto messages = wire::messagesFromJson((*json)["messages"]);
    if (!messages.empty()) return wire::Error{knownCode(exitCode), std::move(messages)};
  }
  return wire::Error{knownCode(crashed ? 3 : exitCode),
                     {"engine.no_answer", {{"code", std::to_string(exitCode)}, {"log", lastLines(log)}}}};
}

}  // namespace

EngineClient::EngineClient(QString engine, QString home, QObject* parent)
    : QObject(parent), m_engine(std::move(engine)), m_home(std::move(home)) {
  auto environment = QProcessEnvironment::systemEnvironment();
  if (!m_home.isEmpty()) environment.insert(QStringLiteral("ATELIER_HOME"), m_home);
  m_process.setProcessEnvironment(environment);
  m_process.setChildProcessModifier(prepareChild);
  m_grace.setSingleShot(true);
  m_grace.setInterval(kGrace);
  connect(&m_grace, &QTimer::timeout, this, &EngineClient::kill);
  m_rest.setSingleShot(true);
  m_rest.setInterval(0);
  connect(&m_rest, &QTimer::timeout, this, &EngineClient::readLines);
  connect(&m_process, &QProcess::readyReadStandardOutput, this, &EngineClient::readLines);
  connect(&m_process, &QProcess::readyReadStandardError, this, &EngineClient::readErrors);
  connect(&m_process, &QProcess::finished, this, &EngineClient::finish);
  connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) refuse();
  });
}

EngineClient::~EngineClient() {
  disconnect(&m_process, nullptr, this, nullptr);
  if (m_process.state() == QProcess::NotRunning) return;
  write({{"command", "stop"}});
  if (m_process.waitForFinished(kLastGrace)) return;
  kill();
  m_process.waitForFinished(-1);
}

void EngineClient::start(const EngineCommand& command) {
  Q_ASSERT(!running());
  m_buffer.clear();
  m_taken = 0;
  m_errors.clear();
  m_failed = m_finished = m_variant = m_killed = false;
  m_sweep = command.verb == "sweep";
  m_answering = command.answers() ? command.verb : std::string();
  m_active = true;
  if (m_engine.isEmpty()) {
    // Told from the event loop, as every other failure is: callers connect and start in any order.
    QTimer::singleShot(0, this, &EngineClient::refuse);
    return;
  }
  m_process.start(m_engine, command.arguments());
  write(command.spec.is_object() ? command.spec : nlohmann::json::object());
}

void EngineClient::refuse() {
  const QPointer<EngineClient> self(this);
  fail(wire::ExitCode::Failed, {{"engine.not_started", {{"file", m_engine.toStdString()}}}});
  if (self) conclude(static_cast<int>(wire::ExitCode::Failed));
}

void EngineClient::pause() {
  write({{"command", "pause"}});
}
void EngineClient::resume() {
  write({{"command", "resume"}});
}

void EngineClient::stop() {
  if (!running()) return;
  // A verb that answers listens to signals alone, as it does in a terminal.
  if (m_answering.empty()) write({{"command", "stop"}});
  else if (const auto pid = m_process.processId(); pid > 0) ::kill(static_cast<pid_t>(pid), SIGTERM);
  if (!m_grace.isActive()) m_grace.start();
}

void EngineClient::set(const QString& key, double value) {
  nlohmann::json object{{"command", "set"}, {"key", key.toStdString()}};
  wire::putNumber(object, "value", value);
  write(object);
}

void EngineClient::write(const nlohmann::json& object) {
  if (m_process.state() == QProcess::NotRunning) return;
  m_process.write(QByteArray::fromStdString(object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"));
}

void EngineClient::kill() {
  const auto pid = m_process.processId();
  if (pid <= 0) return;
  m_killed = true;
  // The group may not exist yet when the process has only just been forked.
  if (::kill(static_cast<pid_t>(-pid), SIGKILL) != 0) m_process.kill();
}

void EngineClient::readErrors() {
  m_errors += m_process.readAllStandardError();
  keepTail(m_errors);
}

void EngineClient::readLines() {
  if (!m_answering.empty()) {
    m_buffer += m_process.readAllStandardOutput();
    if (m_buffer.size() > kLongestLine) kill();
    return;
  }
  takeLines(QDeadlineTimer(kSlice));
}

// What is not taken by then waits for the next turn of the event loop, so that the window stays alive in a flood. But no more
// than kLargestBacklog waits here: beyond it lines are taken as fast as they come, and the engine waits at its full pipe.
void EngineClient::takeLines(QDeadlineTimer until) {
  m_buffer += m_process.readAllStandardOutput();
  const QPointer<EngineClient> self(this);
  // The buffer and the place in it are members, because a receiver may spin an event loop that brings us here again: the inner
  // call goes on where the outer one is.
  for (qsizetype end; (end = m_buffer.indexOf('\n', m_taken)) >= 0;) {
    const auto line = m_buffer.mid(m_taken, end - m_taken);
    m_taken = end + 1;
    takeLine(line);
    if (!self) return;
    if (!until.hasExpired() || m_buffer.size() - m_taken > kLargestBacklog) continue;
    m_rest.start();
    break;
  }
  m_buffer.remove(0, std::exchange(m_taken, 0));
  if (m_buffer.size() <= kLongestLine) return;
  takeLine(m_buffer.left(80));
  if (self) m_buffer.clear();
}

void EngineClient::takeLine(const QByteArray& line) {
  if (m_failed || line.trimmed().isEmpty()) return;
  const auto decoded = wire::decodeEvent(std::string_view(line.constData(), static_cast<std::size_t>(line.size())));
  if (!decoded) {
    kill();
    fail(decoded.error().code, decoded.error().messages);
    return;
  }
  // A point of a sweep that fails ends itself, not the sweep.
  const bool whole = !m_sweep || decoded->variant.empty();
  if (std::holds_alternative<wire::RunFailed>(decoded->body) && whole) m_failed = true;
  if (std::holds_alternative<wire::RaceFinished>(decoded->body) || std::holds_alternative<wire::SweepFinished>(decoded->body))
    m_finished = true;
  if (std::holds_alternative<wire::RunFinished>(decoded->body)) (decoded->variant.empty() ? m_finished : m_variant) = true;
  Q_EMIT event(*decoded);
}

// The object that a verb has printed: its answer, or why there is none.
void EngineClient::takeAnswer(int exitCode, bool crashed) {
  m_buffer += m_process.readAllStandardOutput();
  const auto answer = wire::parseJson(std::exchange(m_buffer, {}).toStdString());
  if (crashed || !answer || !answer->is_object()) return;
  if (exitCode == 0) {
    m_finished = true;
    wire::RunEvent told;
    told.body = wire::Answered{m_answering, *answer};
    Q_EMIT event(told);
    return;
  }
  for (const char* key : {"failure", "messages"})
    if (auto messages = wire::messagesFromJson(answer->value(key, nlohmann::json())); !messages.empty())
      return fail(knownCode(exitCode), std::move(messages));
  if (exitCode == static_cast<int>(wire::ExitCode::Interrupted))
    fail(wire::ExitCode::Interrupted, std::vector<wire::Message>(1, wire::Message{"batch.stopped"}));
}

void EngineClient::fail(wire::ExitCode code, std::vector<wire::Message> messages) {
  m_failed = true;
  wire::RunEvent failure;
  failure.body = wire::RunFailed{code, std::move(messages)};
  Q_EMIT event(failure);
}

bool EngineClient::concluded(int exitCode) const {
  return m_failed || m_finished || (m_variant && exitCode == static_cast<int>(wire::ExitCode::Interrupted));
}

void EngineClient::finish(int exitCode, QProcess::ExitStatus status) {
  const QPointer<EngineClient> self(this);
  readErrors();
  if (!m_answering.empty()) takeAnswer(exitCode, status == QProcess::CrashExit);
  else takeLines(QDeadlineTimer(QDeadlineTimer::Forever));
  if (self && !m_buffer.isEmpty()) takeLine(std::exchange(m_buffer, {}));
  if (!self) return;
  const bool crashed = status == QProcess::CrashExit;
  if (!concluded(exitCode)) {
    const auto number = std::to_string(exitCode);
    const char* id = m_killed ? "engine.killed" : crashed ? "engine.crashed" : "engine.silent";
    fail(crashed ? wire::ExitCode::Failed : knownCode(exitCode),
         {{id, {{"code", crashed ? "" : number}, {"signal", crashed ? number : ""}, {"log", lastLines(m_errors)}}}});
    if (!self) return;
  }
  const bool bad = crashed || (exitCode == 0 && m_failed);
  conclude(bad ? static_cast<int>(m_finished ? wire::ExitCode::Done : wire::ExitCode::Failed) : exitCode);
}

void EngineClient::conclude(int exitCode) {
  m_grace.stop();
  m_rest.stop();
  m_active = false;
  Q_EMIT ended(exitCode);
}

void EngineClient::ask(const QStringList& arguments, Answer answer) {
  auto* process = new QProcess(this);
  process->setProcessEnvironment(m_process.processEnvironment());
  process->setChildProcessModifier(prepareChild);
  connect(process, &QProcess::finished, this, [process, answer](int code, QProcess::ExitStatus status) {
    process->deleteLater();
    answer(answerOf(process->readAllStandardOutput(), process->readAllStandardError(), code, status == QProcess::CrashExit));
  });
  const auto notStarted = [this, process, answer] {
    process->deleteLater();
    answer(wire::Error{wire::ExitCode::Failed, {"engine.not_started", {{"file", m_engine.toStdString()}}}});
  };
  connect(process, &QProcess::errorOccurred, this, [notStarted](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) notStarted();
  });
  if (m_engine.isEmpty()) {
    QTimer::singleShot(0, process, notStarted);
    return;
  }
  process->start(m_engine, QStringList(arguments) << QStringLiteral("--json"));
  process->closeWriteChannel();
}

QString EngineClient::locate() {
  const auto name = QStringLiteral("atelier-engine");
  const auto beside = QCoreApplication::applicationDirPath() + QLatin1Char('/') + name;
  return QFileInfo(beside).isExecutable() ? beside : QStandardPaths::findExecutable(name);
}

}  // namespace atelier::app
