// EngineClient against small shell scripts in the engine's place: what it says of good runs, and that nothing the process does
// (crash, silence, rubbish, refusal to end) is left untold or left running.
#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <csignal>
#include <optional>
#include <utility>

#include "app/run/engine_client.h"

using namespace atelier;
using namespace atelier::app;

namespace {

constexpr int kWait = 20'000;

struct Told {
  QVector<wire::RunEvent> events;
  std::optional<int> code;
  int ends = 0;

  const wire::RunFailed* failure() const {
    const wire::RunFailed* found = nullptr;
    for (const auto& event : events)
      if (const auto* failed = std::get_if<wire::RunFailed>(&event.body)) found = failed;
    return found;
  }
  std::string failureId() const { return failure() ? failure()->messages.front().id : std::string(); }
  std::string argument(const std::string& name) const {
    if (failure())
      for (const auto& [key, value] : failure()->messages.front().args)
        if (key == name) return value;
    return {};
  }
};

void listen(EngineClient& client, Told& told) {
  QObject::connect(&client, &EngineClient::event, &client, [&told](const wire::RunEvent& event) { told.events.append(event); });
  QObject::connect(&client, &EngineClient::ended, &client, [&told](int code) {
    told.code = code;
    ++told.ends;
  });
}

bool alive(qint64 pid) {
  return pid > 0 && ::kill(static_cast<pid_t>(pid), 0) == 0;
}

}  // namespace

class EngineClientTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir m_folder;

  QString path(const QString& name) const { return m_folder.filePath(name); }
  QString script(const QString& name, const QByteArray& body) {
    QFile file(path(name));
    if (!file.open(QIODevice::WriteOnly)) return {};
    file.write("#!/bin/bash\n" + body + "\n");
    file.close();
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return file.fileName();
  }
  QByteArray content(const QString& name) {
    QFile file(path(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  Told runToEnd(const QString& engine, const std::string& verb = "run", const nlohmann::json& b = nullptr) {
    Told told;
    EngineClient client(engine, m_folder.path());
    listen(client, told);
    client.start(
        {verb, {{"model", "cnn"}, {"batch", 128}}, b.is_object() ? std::vector{b} : std::vector<nlohmann::json>(), {}});
    if (!QTest::qWaitFor([&] { return told.code.has_value(); }, kWait)) qWarning("the engine did not end");
    QTest::qWait(50);  // a second `ended` would come now
    return told;
  }

 private Q_SLOTS:
  void initTestCase() { QVERIFY(m_folder.isValid()); }

  void handsInTheSpecAndReportsEvents() {
    const auto engine =
        script("good",
               "read -r line; printf '%s' \"$line\" > \"$ATELIER_HOME/spec\"; printf '%s\\n' \"$@\" > \"$ATELIER_HOME/args\"\n"
               "echo '{\"v\":1,\"kind\":\"phase\",\"phase\":\"measuring\",\"rank\":0,\"t\":5}'\n"
               "echo\n"
               "echo '{\"v\":1,\"kind\":\"finished\",\"t\":9,\"summary\":{\"id\":\"r\",\"status\":\"done\"}}'");
    const auto told = runToEnd(engine);
    QCOMPARE(told.events.size(), 2);
    QCOMPARE(told.code, std::optional(0));
    QCOMPARE(told.ends, 1);
    QVERIFY(!told.failure());
    QCOMPARE(nlohmann::json::parse(content("spec").toStdString()), (nlohmann::json{{"model", "cnn"}, {"batch", 128}}));
    QCOMPARE(content("args"), QByteArray("run\n--events\n--spec\n-\n"));
  }

  void namesTheSecondVariantsKeys() {
    const auto engine = script("race",
                               "printf '%s\\n' \"$@\" > \"$ATELIER_HOME/args\"\n"
                               "echo '{\"v\":1,\"kind\":\"race_finished\",\"t\":9,\"race\":{\"verdict\":\"faster\"}}'");
    const auto told = runToEnd(engine, "race", {{"channels_last", true}, {"precision", "bf16"}, {"learning_rate", 0.5}});
    QVERIFY(!told.failure());
    QCOMPARE(content("args"),
             QByteArray("race\n--events\n--spec\n-\n--b\nchannels_last=true\n--b\nlearning_rate=0.5\n--b\nprecision=bf16\n"));
  }

  void tellsAGarbledLine() {
    const auto told = runToEnd(script("garbled", "echo 'one: \xff not json'; sleep 60"));
    QCOMPARE(told.failureId(), std::string("event.malformed"));
    QCOMPARE(told.ends, 1);
    QCOMPARE(told.code, std::optional(3));
  }

  void tellsACrash() {
    const auto told = runToEnd(script("crash", "echo first >&2; echo 'last words' >&2; kill -SEGV $$"));
    QCOMPARE(told.failureId(), std::string("engine.crashed"));
    QCOMPARE(told.argument("signal"), std::to_string(SIGSEGV));
    QVERIFY(told.argument("log").find("last words") != std::string::npos);
    QCOMPARE(told.ends, 1);
    QCOMPARE(told.code, std::optional(3));
  }

  void tellsASilentEnd_data() {
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<int>("code");
    QTest::newRow("as if all were well") << QByteArray("exit 0") << 3;
    QTest::newRow("out of memory") << QByteArray("exit 4") << 4;
    QTest::newRow("only one of a race") << QByteArray("echo '{\"v\":1,\"kind\":\"finished\",\"variant\":\"a\",\"summary\":{}}'")
                                        << 3;
    QTest::newRow("half a line") << QByteArray("printf '{\"v\":1,\"kind\":\"fini'") << 3;
  }
  void tellsASilentEnd() {
    QFETCH(QByteArray, body);
    QFETCH(int, code);
    const auto told = runToEnd(script("silent", body));
    QVERIFY(told.failure());
    QCOMPARE(told.code, std::optional(code));
    QCOMPARE(told.ends, 1);
  }

  void keepsTheEnginesOwnFailure() {
    const auto told = runToEnd(
        script("failed",
               "echo '{\"v\":1,\"kind\":\"failed\",\"code\":4,\"messages\":[{\"id\":\"memory.out\",\"args\":{}}]}'; exit 4"));
    QCOMPARE(told.events.size(), 1);
    QCOMPARE(told.failureId(), std::string("memory.out"));
    QCOMPARE(told.code, std::optional(4));
  }

  void tellsAProgramThatIsNotThere() {
    for (const auto& engine : {path("nowhere"), QString()}) {
      const auto told = runToEnd(engine);
      QCOMPARE(told.failureId(), std::string("engine.not_started"));
      QCOMPARE(told.ends, 1);
      QCOMPARE(told.code, std::optional(3));
    }
  }

  void stopsAndSendsCommands() {
    const auto engine =
        script("obedient",
               "while read -r line; do printf '%s\\n' \"$line\" >> \"$ATELIER_HOME/said\"\n"
               "case $line in *stop*) echo '{\"v\":1,\"kind\":\"finished\",\"summary\":{\"status\":\"interrupted\"}}'; exit "
               "130;; esac; done");
    Told told;
    EngineClient client(engine, m_folder.path());
    listen(client, told);
    client.start({});
    client.pause();
    client.resume();
    client.set(QStringLiteral("learning_rate"), 0.25);
    client.stop();
    QTRY_VERIFY_WITH_TIMEOUT(told.code.has_value(), kWait);
    QCOMPARE(told.code, std::optional(130));
    QVERIFY(!told.failure());
    const auto said = content("said").trimmed().split('\n');
    QCOMPARE(said.size(), 5);
    QCOMPARE(nlohmann::json::parse(said[3].toStdString()),
             (nlohmann::json{{"command", "set"}, {"key", "learning_rate"}, {"value", 0.25}}));
  }

  void killsWhatDoesNotStop() {
    Told told;
    EngineClient client(
        script("deaf", "trap '' TERM INT; sleep 300 & echo $! > \"$ATELIER_HOME/child\"; while true; do sleep 1; done"),
        m_folder.path());
    client.setGrace(300);
    listen(client, told);
    client.start({});
    QTRY_VERIFY_WITH_TIMEOUT(!content("child").isEmpty(), kWait);
    client.stop();
    QTRY_VERIFY_WITH_TIMEOUT(told.code.has_value(), kWait);
    QCOMPARE(told.failureId(), std::string("engine.killed"));
    QTRY_VERIFY_WITH_TIMEOUT(!alive(content("child").trimmed().toLongLong()), kWait);
  }

  void leavesNoProcessBehind() {
    QFile::remove(path("pid"));
    QElapsedTimer clock;
    {
      EngineClient client(script("endless", "trap '' TERM INT; echo $$ > \"$ATELIER_HOME/pid\"; while true; do sleep 1; done"),
                          m_folder.path());
      client.start({});
      QTRY_VERIFY_WITH_TIMEOUT(!content("pid").isEmpty(), kWait);
      clock.start();
    }
    QVERIFY(clock.elapsed() < 6'000);
    QVERIFY(!alive(content("pid").trimmed().toLongLong()));
  }

  void takesMuchOutput() {
    const auto engine =
        script("big",
               "for i in $(seq 20000); do echo '{\"v\":1,\"kind\":\"progress\",\"step\":'$i',\"planned_steps\":20000}'; done\n"
               "head -c 300000 /dev/zero | tr '\\0' 'e' >&2\n"
               "echo '{\"v\":1,\"kind\":\"finished\",\"summary\":{}}'");
    const auto told = runToEnd(engine);
    QCOMPARE(told.events.size(), 20'001);
    QCOMPARE(std::get<wire::Progress>(told.events[19'999].body).step, std::int64_t{20'000});
    QVERIFY(!told.failure());
  }

  void canRunAgain() {
    Told told;
    EngineClient client(script("again", "echo '{\"v\":1,\"kind\":\"finished\",\"summary\":{}}'"), m_folder.path());
    listen(client, told);
    for (int i = 1; i <= 2; ++i) {
      client.start({});
      QTRY_COMPARE_WITH_TIMEOUT(told.ends, i, kWait);
      QVERIFY(!client.running());
    }
    QCOMPARE(told.events.size(), 2);
  }

  void survivesBeingDeletedByAReceiver() {
    auto* client = new EngineClient(
        script("deleted", "for i in 1 2 3; do echo '{\"v\":1,\"kind\":\"phase\",\"phase\":\"x\"}'; done; sleep 60"),
        m_folder.path());
    bool deleted = false;
    connect(client, &EngineClient::event, this, [&deleted, client] {
      if (!std::exchange(deleted, true)) client->deleteLater();
    });
    client->start({});
    QTRY_VERIFY_WITH_TIMEOUT(deleted, kWait);
  }

  void anAnswerIsOneEvent() {
    const auto engine = script("search",
                               "read -r line; printf '%s' \"$line\" > \"$ATELIER_HOME/spec\"\n"
                               "printf '%s\\n' \"$@\" > \"$ATELIER_HOME/args\"\n"
                               "printf '{\\n \"batch\": 96,\\n \"out_of_memory_at\": 97\\n}\\n'");
    const auto told = runToEnd(engine, "max-batch");
    QCOMPARE(told.events.size(), 1);
    const auto* answered = std::get_if<wire::Answered>(&told.events.front().body);
    QVERIFY(answered);
    QCOMPARE(answered->verb, std::string("max-batch"));
    QVERIFY(answered->answer["batch"] == 96);
    QCOMPARE(told.code, std::optional(0));
    QCOMPARE(told.ends, 1);
    QCOMPARE(content("args"), QByteArray("max-batch\n--json\n--spec\n-\n"));
    QCOMPARE(nlohmann::json::parse(content("spec").toStdString()), (nlohmann::json{{"model", "cnn"}, {"batch", 128}}));
  }

  void aVerbThatHasNoAnswerSaysWhy() {
    const auto refused = runToEnd(script("refused",
                                         "echo '{\"status\":\"failed\",\"failure\":["
                                         "{\"id\":\"spec.unknown_key\",\"args\":{}}]}'; exit 4"),
                                  "max-batch");
    QCOMPARE(refused.failureId(), std::string("spec.unknown_key"));
    QVERIFY(refused.failure()->code == wire::ExitCode::OutOfMemory);
    QCOMPARE(refused.ends, 1);
    QCOMPARE(runToEnd(script("mute", "exit 0"), "max-batch").failureId(), std::string("engine.silent"));
    QCOMPARE(runToEnd(script("garbled", "echo 'batch: 96'"), "max-batch").failureId(), std::string("engine.silent"));
    QCOMPARE(runToEnd(script("dead", "kill -SEGV $$"), "max-batch").failureId(), std::string("engine.crashed"));
    QCOMPARE(runToEnd(script("stopped", "echo '{\"status\":\"interrupted\"}'; exit 130"), "max-batch").failureId(),
             std::string("batch.stopped"));
  }

  void stoppingASearchIsASignal() {
    Told told;
    EngineClient client(script("slow",
                               "trap 'echo \"{}\"; exit 130' TERM\n"
                               "touch \"$ATELIER_HOME/up\"; while :; do sleep 0.05; done"),
                        m_folder.path());
    listen(client, told);
    client.start({"max-batch", nlohmann::json::object(), {}, {}});
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path(QStringLiteral("up"))), kWait);
    client.stop();
    QTRY_VERIFY_WITH_TIMEOUT(told.code.has_value(), kWait);
    QCOMPARE(told.code, std::optional(130));
    QCOMPARE(told.failureId(), std::string("batch.stopped"));
  }

  void answersQuestions() {
    std::optional<wire::Result<nlohmann::json>> good, bad, none;
    EngineClient client(script("ask",
                               "[ \"$1\" = describe ] && [ \"$2\" = --json ] && echo '{\"options\":[]}' && exit 0\n"
                               "echo '{\"messages\":[{\"id\":\"spec.unknown_key\",\"args\":{}}]}'; exit 2"),
                        m_folder.path());
    client.ask({QStringLiteral("describe")}, [&](const auto& answer) { good = answer; });
    client.ask({QStringLiteral("other")}, [&](const auto& answer) { bad = answer; });
    EngineClient missing(QString(), m_folder.path());
    missing.ask({QStringLiteral("describe")}, [&](const auto& answer) { none = answer; });
    QTRY_VERIFY_WITH_TIMEOUT(good && bad && none, kWait);
    QVERIFY(good->ok() && (**good)["options"].is_array());
    QVERIFY(!bad->ok() && bad->error().code == wire::ExitCode::Usage);
    QCOMPARE(bad->error().messages.front().id, std::string("spec.unknown_key"));
    QVERIFY(!none->ok());
    QCOMPARE(none->error().messages.front().id, std::string("engine.not_started"));
  }
};

QTEST_MAIN(EngineClientTest)
#include "engine_client_test.moc"
