// A flood of events through the real EngineClient: 8 ranks × 1,000 events a second for ten minutes are 4.8 million; a tenth of
// that as a rule, all of it with ATELIER_FLOOD=4800000. The engine in the flood is this very program, started anew with
// --flood: it writes as fast as the pipe takes it. Nothing is dropped, the order is kept, memory stays bounded, the event loop
// turns.
#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTimer>
#include <QtTest>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "app/models/bounded_curve.h"
#include "app/models/run_series.h"
#include "app/run/engine_client.h"

using namespace atelier;
using namespace atelier::app;

namespace {

constexpr int kPatience = 20 * 60'000;
constexpr std::int64_t kFewer = 480'000;
constexpr int kRanks = 8;
// What a pipe holds at most, and what EngineClient lets wait: no turn of the event loop takes more than about both.
constexpr std::int64_t kLargestTurn = 2LL << 20;

// Under a sanitizer freed memory is kept back for a while.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMemoryIsTold = false;
#else
constexpr bool kMemoryIsTold = true;
#endif

std::int64_t floodOf(const char* text) {
  std::int64_t count = kFewer;
  if (text) std::from_chars(text, text + std::strlen(text), count);
  return count;
}

// One line of the flood. Every 8,000th event (a second of it) is a block, every 80th memory, every other 80th the system.
int writeLine(char* line, std::size_t size, std::int64_t number) {
  const auto rank = static_cast<int>(number % kRanks);
  const long long time = number / kRanks * 1'000'000, step = number;
  if (number % 8'000 == 7'999)
    return std::snprintf(line, size,
                         "{\"v\":1,\"kind\":\"block\",\"rank\":%d,\"t\":%lld,\"block\":%lld,\"steps\":1000,\"samples\":1000,"
                         "\"seconds\":1.0,\"samples_per_second\":%lld.5,\"disturbed\":false}\n",
                         rank, time, step / 8'000, 1'000 + step / 8'000 % 50);
  if (number % 80 == 39)
    return std::snprintf(
        line, size,
        "{\"v\":1,\"kind\":\"memory\",\"rank\":%d,\"t\":%lld,\"live\":{\"total\":15,\"weights\":1,\"gradients\":2,"
        "\"optimizer\":3,\"activations\":4,\"other\":5},\"peak\":{\"total\":15},\"budget_bytes\":0}\n",
        rank, time);
  if (number % 80 == 79)
    return std::snprintf(line, size,
                         "{\"v\":1,\"kind\":\"system\",\"rank\":%d,\"t\":%lld,\"cpu_percent\":98.5,\"others_percent\":1.5,"
                         "\"steal_percent\":0.0,\"rss_bytes\":312345678}\n",
                         rank, time);
  return std::snprintf(line, size,
                       "{\"v\":1,\"kind\":\"progress\",\"rank\":%d,\"t\":%lld,\"step\":%lld,\"planned_steps\":4800000,"
                       "\"measured\":true,\"samples_per_second\":%lld.25,\"loss\":0.%03lld,\"learning_rate\":0.001}\n",
                       rank, time, step, 900 + step % 200, step % 997);
}

// What this program does when it is the engine.
int flood(std::int64_t count) {
  std::array<char, 512> line{};
  int spec = 0;
  while ((spec = std::getchar()) != '\n' && spec != EOF) continue;
  for (std::int64_t i = 0; i < count; ++i) {
    const int length = writeLine(line.data(), line.size(), i);
    if (std::fwrite(line.data(), 1, static_cast<std::size_t>(length), stdout) != static_cast<std::size_t>(length)) return 3;
  }
  std::fputs("{\"v\":1,\"kind\":\"finished\",\"rank\":0,\"t\":0,\"summary\":{\"id\":\"flood\",\"status\":\"done\"}}\n", stdout);
  return std::fflush(stdout) == 0 ? 0 : 3;
}

// Resident bytes of this process.
std::int64_t residentBytes() {
  QFile file(QStringLiteral("/proc/self/statm"));
  if (!file.open(QIODevice::ReadOnly)) return 0;
  return file.readAll().split(' ').value(1).toLongLong() * ::sysconf(_SC_PAGESIZE);
}

// Follows the flood, and says what is wrong with it first.
class Follower {
 public:
  explicit Follower(std::int64_t count) : m_count(count) {}

  void take(const wire::RunEvent& event) {
    if (std::holds_alternative<wire::RunFinished>(event.body)) {
      m_finished = true;
      return;
    }
    if (m_finished || event.rank != m_next % kRanks || event.t != m_next / kRanks * 1'000'000) note(event);
    if (const auto* progress = std::get_if<wire::Progress>(&event.body); progress && progress->step != m_next) note(event);
    ++m_next;
    m_series.take(event);
    if (m_next % 10'000 == 0) watch();
  }
  std::int64_t taken() const { return m_next; }
  bool finished() const { return m_finished; }
  const QString& wrong() const { return m_wrong; }
  const RunSeries& series() const { return m_series; }
  // Of the bytes held after the first tenth, when all curves have been full once or nearly.
  std::int64_t grown() const { return m_most - m_settled; }

 private:
  void note(const wire::RunEvent& event) {
    if (m_wrong.isEmpty()) m_wrong = QStringLiteral("event %1 has rank %2, time %3").arg(m_next).arg(event.rank).arg(event.t);
  }
  void watch() {
    const auto bytes = residentBytes();
    if (m_settled == 0 && m_next >= m_count / 10) m_settled = bytes;
    m_most = std::max(m_most, bytes);
  }

  std::int64_t m_count, m_next = 0, m_settled = 0, m_most = 0;
  bool m_finished = false;
  QString m_wrong;
  RunSeries m_series{QStringLiteral("A"), 0};
};

}  // namespace

class FloodTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir m_folder;

  QString script(const QString& name, const QByteArray& body) {
    QFile file(m_folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly)) return {};
    file.write("#!/bin/bash\n" + body + "\n");
    file.close();
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return file.fileName();
  }

 private Q_SLOTS:
  void initTestCase() { QVERIFY(m_folder.isValid()); }

  void everyEventIsTakenInOrderAndInBoundedMemory() {
    const auto count = floodOf(std::getenv("ATELIER_FLOOD"));
    EngineClient client(script(QStringLiteral("flood"), "exec '" + QCoreApplication::applicationFilePath().toUtf8() +
                                                            "' --flood " + QByteArray::number(count)),
                        m_folder.path());
    Follower follower(count);
    std::optional<int> code;
    std::int64_t turns = 0, takenAtEnd = -1;
    QTimer turn;
    connect(&turn, &QTimer::timeout, this, [&turns] { ++turns; });
    connect(&client, &EngineClient::event, this, [&follower](const wire::RunEvent& event) { follower.take(event); });
    connect(&client, &EngineClient::ended, this, [&](int exitCode) {
      code = exitCode;
      takenAtEnd = follower.taken();
    });
    QElapsedTimer clock;
    clock.start();
    turn.start(0);
    client.start({});
    QTRY_VERIFY_WITH_TIMEOUT(code.has_value(), kPatience);
    const auto milliseconds = clock.elapsed();
    turn.stop();
    QCOMPARE(code, std::optional(0));
    QVERIFY2(follower.wrong().isEmpty(), qPrintable(follower.wrong()));
    QCOMPARE(follower.taken(), count);
    QCOMPARE(takenAtEnd, count);
    QVERIFY(follower.finished());
    // A line is more than 100 bytes long.
    QVERIFY2(turns >= count * 100 / kLargestTurn, qPrintable(QString::number(turns)));
    for (const auto* curve :
         {&follower.series().samplesPerSecond(), &follower.series().loss(), &follower.series().memoryTotal()})
      QVERIFY(!curve->x.isEmpty() && curve->x.size() <= kMostPoints);
    if (kMemoryIsTold) QVERIFY2(follower.grown() < (64LL << 20), qPrintable(QString::number(follower.grown())));
    qInfo("%lld events in %lld ms: %.0f a second; %lld turns of the event loop; %.1f MiB more memory",
          static_cast<long long>(count), static_cast<long long>(milliseconds),
          1e3 * static_cast<double>(count) / static_cast<double>(std::max<qint64>(1, milliseconds)),
          static_cast<long long>(turns), static_cast<double>(follower.grown()) / (1 << 20));
  }

  // Two of these lines take as long to tell as a slice lasts: fifty of them, that come at once, are not one stretch.
  void theEventLoopTurnsBetweenSlices() {
    constexpr int kSlow = 50;
    EngineClient client(script(QStringLiteral("burst"),
                               "read -r spec\n"
                               "lines=$(for i in $(seq 50); do echo '{\"kind\":\"progress\",\"step\":'$i'}'; done)\n"
                               "printf '%s\\n' \"$lines\"\n"
                               "read -r stop\n"
                               "echo '{\"kind\":\"finished\",\"summary\":{}}'"),
                        m_folder.path());
    std::optional<int> code;
    int told = 0, turns = 0, turnsAtFirst = 0, turnsAtLast = 0;
    QTimer turn;
    connect(&turn, &QTimer::timeout, this, [&turns] { ++turns; });
    connect(&client, &EngineClient::event, this, [&] {
      if (++told > kSlow) return;
      if (told == 1) turnsAtFirst = turns;
      turnsAtLast = turns;
      QTest::qSleep(2);
      if (told == kSlow) client.stop();
    });
    connect(&client, &EngineClient::ended, this, [&](int exitCode) { code = exitCode; });
    turn.start(0);
    client.start({});
    QTRY_VERIFY_WITH_TIMEOUT(code.has_value(), kPatience);
    QCOMPARE(told, kSlow + 1);
    QCOMPARE(code, std::optional(0));
    QVERIFY2(turnsAtLast - turnsAtFirst >= 5, qPrintable(QString::number(turnsAtLast - turnsAtFirst)));
  }

  void aReceiverThatSpinsItsOwnLoopSeesTheSameOrder() {
    EngineClient client(
        script(QStringLiteral("halves"),
               "read -r spec\n"
               "printf '{\"kind\":\"progress\",\"step\":1}\\n{\"kind\":\"progress\",\"step\":2}\\n{\"kind\":\"prog'\n"
               "sleep 0.2\n"
               "printf 'ress\",\"step\":3}\\n{\"kind\":\"progress\",\"step\":4}\\n'\n"
               "echo '{\"kind\":\"finished\",\"summary\":{}}'"),
        m_folder.path());
    QVector<std::int64_t> steps;
    std::optional<int> code;
    bool failed = false, finished = false;
    connect(&client, &EngineClient::event, this, [&](const wire::RunEvent& event) {
      if (const auto* progress = std::get_if<wire::Progress>(&event.body)) steps.append(progress->step);
      failed = failed || std::holds_alternative<wire::RunFailed>(event.body);
      finished = finished || std::holds_alternative<wire::RunFinished>(event.body);
      if (steps.size() == 1) QTest::qWait(1'000);
    });
    connect(&client, &EngineClient::ended, this, [&](int exitCode) { code = exitCode; });
    client.start({});
    QTRY_VERIFY_WITH_TIMEOUT(code.has_value() && finished, kPatience);
    QVERIFY(!failed);
    QCOMPARE(steps, (QVector<std::int64_t>{1, 2, 3, 4}));
  }
};

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--flood") == 0) return flood(floodOf(argv[2]));
  QApplication application(argc, argv);
  FloodTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "flood_test.moc"
