// The real program, the real engine, the real lab: what `atelier --headless` leaves behind.
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

class HeadlessProgramTest : public QObject {
  Q_OBJECT

 private:
  struct Output {
    int code;
    QString out, err;
  };
  static Output run(const QStringList& arguments, const QString& home, int seconds) {
    QProcess process;
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("ATELIER_HOME", home);
    environment.remove("DISPLAY");
    environment.remove("WAYLAND_DISPLAY");
    environment.remove("QT_QPA_PLATFORM");
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(ATELIER_BIN_DIR "/atelier"), arguments);
    if (!process.waitForFinished(seconds * 1000)) process.kill();
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            QString::fromUtf8(process.readAllStandardOutput()), QString::fromUtf8(process.readAllStandardError())};
  }
  static QJsonArray readArray(const QString& file) {
    QFile input(file);
    return input.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(input.readAll()).array() : QJsonArray();
  }

 private Q_SLOTS:
  void takesTheFirstLabAndLeavesItsReport() {
    QTemporaryDir home, out;
    QFile answers(out.filePath("answers.json"));
    QVERIFY(answers.open(QIODevice::WriteOnly));
    answers.write(R"({"baseline": 2000, "change": 1.1, "transfer": {"first-steps": 1}})");
    answers.close();
    const auto ended = run({"--headless", "--lab", "measure-first", "--lang", "fr", "--learner", "Ada", "--answers",
                            answers.fileName(), "--out", out.filePath("report")},
                           home.path(), 580);
    QVERIFY2(ended.code == 0, qPrintable(ended.err));
    const auto checks = readArray(out.filePath("report/checks.json"));
    QVERIFY(checks.size() >= 8);
    bool predicted = false, sums = false;
    for (const auto& value : checks) {
      const auto check = value.toObject();
      for (const char* key : {"step", "check", "passed", "wanted"}) QVERIFY2(check.contains(key), key);
      if (check["check"] == "predicted") predicted = check["state"] != "not-predicted";
      if (check["check"] == "no-time-lost") sums = check["passed"].toBool();
    }
    QVERIFY(predicted);
    QVERIFY(sums);
    QProcess text;
    text.start("pdftotext", {"-layout", out.filePath("report/report.pdf"), "-"});
    QVERIFY(text.waitForFinished(20000));
    const auto page = QString::fromUtf8(text.readAllStandardOutput());
    QVERIFY(page.contains("Ada"));
    QVERIFY(page.contains(QString::fromUtf8("Mesurer")));
    QVERIFY(page.contains("atelier-engine"));
  }

  void refusesWhatItCanNotDo() {
    QTemporaryDir home;
    QCOMPARE(run({"--headless", "--lab", "no-such-lab", "--out", home.path()}, home.path(), 30).code, 2);
    QCOMPARE(run({"--report", "no-such-run", "--out", home.filePath("x.pdf")}, home.path(), 30).code, 2);
    QCOMPARE(run({"--no-such-flag"}, home.path(), 30).code, 2);
    QVERIFY(!QFile::exists(home.filePath("x.pdf")));
    const auto help = run({"--help"}, home.path(), 30);
    QCOMPARE(help.code, 0);
    QVERIFY(help.out.contains("--headless"));
  }
};

QTEST_MAIN(HeadlessProgramTest)
#include "headless_program_test.moc"
