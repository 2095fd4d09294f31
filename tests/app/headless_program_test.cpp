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
  static QJsonObject readObject(const QString& text) { return QJsonDocument::fromJson(text.toUtf8()).object(); }
  static QJsonArray readArray(const QString& file) {
    QFile input(file);
    return input.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(input.readAll()).array() : QJsonArray();
  }

 private Q_SLOTS:
  void takesTheFirstLabAndLeavesItsReport() {
    QTemporaryDir home, out, shared;
    QFile answers(out.filePath("answers.json"));
    QVERIFY(answers.open(QIODevice::WriteOnly));
    answers.write(R"({"baseline": 2000, "change": 1.1, "transfer": {"first-steps": 1}})");
    answers.close();
    const auto ended = run({"--headless", "--lab", "measure-first", "--lang", "fr", "--learner", "Ada", "--answers",
                            answers.fileName(), "--out", out.filePath("report"), "--results", shared.path()},
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
    QVERIFY(QFile::exists(shared.filePath("Ada-measure-first/report.pdf")));
    const auto rolledUp = run({"--class", shared.path(), "--json"}, home.path(), 30);
    const auto learner = readObject(rolledUp.out).value("learners").toArray().first().toObject();
    QCOMPARE(learner.value("learner").toString(), QStringLiteral("Ada"));
    const auto machine = learner.value("labs").toArray().first().toObject().value("machine").toObject();
    QVERIFY(machine.value("cores").toInt() > 0);
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

  void tellsAuthorsAndTrainersWithoutAWindow() {
    QTemporaryDir home, folder;
    const auto good = run({"--check-course", ATELIER_COURSE_DIR, "--lang", "en"}, home.path(), 60);
    QVERIFY2(good.code == 0, qPrintable(good.out + good.err));
    QVERIFY(good.out.contains("measure-first"));
    QFile lab(folder.filePath("lab.toml"));
    QVERIFY(lab.open(QIODevice::WriteOnly));
    lab.write("id = \"x\"\nnumbr = 1\n");
    lab.close();
    const auto bad = run({"--check-course", folder.path(), "--lang", "en"}, home.path(), 60);
    QCOMPARE(bad.code, 2);
    QVERIFY2(bad.out.contains("lab.toml:2: error: "), qPrintable(bad.out));
    const auto json = run({"--check-course", folder.path(), "--json"}, home.path(), 60);
    QCOMPARE(json.code, 2);
    QCOMPARE(readObject(json.out).value("sound").toBool(true), false);
    QCOMPARE(run({"--check-course", folder.path(), "--preview"}, home.path(), 60).code, 2);
    QCOMPARE(run({"--class", home.filePath("nowhere")}, home.path(), 30).code, 2);
    const auto none = run({"--class", home.path(), "--json"}, home.path(), 30);
    QCOMPARE(none.code, 0);
    QVERIFY(readObject(none.out).value("learners").isArray());
    QVERIFY(readObject(none.out).value("learners").toArray().isEmpty());
    QCOMPARE(run({"--class", home.path(), "--json", "--csv"}, home.path(), 30).code, 2);
    const auto reference = run({"--course-reference", "--lang", "en"}, home.path(), 30);
    QCOMPARE(reference.code, 0);
    QFile kept(QStringLiteral(ATELIER_SOURCE_DIR "/labs/REFERENCE.md"));
    QVERIFY(kept.open(QIODevice::ReadOnly));
    QCOMPARE(reference.out, QString::fromUtf8(kept.readAll()));
  }
};

QTEST_MAIN(HeadlessProgramTest)
#include "headless_program_test.moc"
