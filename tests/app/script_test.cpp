// Show as PyTorch in the window: what the engine is asked, the script shown, copied and saved, run beside the native run.
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QGuiApplication>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSyntaxHighlighter>
#include <QTextBlock>
#include <QTextLayout>
#include <QtTest>

#include "app/models/script_model.h"
#include "app/views/experiments/code_view.h"
#include "app/views/experiments/script_dialog.h"
#include "runs_fixture.h"

using namespace atelier;
using namespace atelier::app;
using namespace atelier::app::testing;

namespace {

// What the engine says when it is asked.
void answers(const Bench& bench, const nlohmann::json& answer) {
  QFile file(QString::fromStdString((bench.engine.home() / "events").string()));
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(QByteArray::fromStdString(answer.dump()));
}

std::vector<wire::RunEvent> pythonRun() {
  auto events = eventsOf("20261130-104512-00000e", specOf(), 1500);
  events.push_back(eventAt(3, wire::RunFinished{summaryOf("20261130-104512-00000e", 1500)}));
  return events;
}

QColor colourAt(const QTextDocument& document, int line, int column) {
  const auto formats = document.findBlockByNumber(line).layout()->formats();
  for (const auto& range : formats)
    if (column >= range.start && column < range.start + range.length) return range.format.foreground().color();
  return {};
}

}  // namespace

class ScriptTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theSpecIsHandedInWithoutStandardInput() {
    QCOMPARE(
        ScriptModel::arguments({{"batch", 64}, {"fused", true}, {"precision", "bf16"}}),
        (QStringList{QStringLiteral("script"), QStringLiteral("--set"), QStringLiteral("batch=64"), QStringLiteral("--set"),
                     QStringLiteral("fused=true"), QStringLiteral("--set"), QStringLiteral("precision=bf16")}));
    QCOMPARE(ScriptModel::arguments(nullptr), QStringList{QStringLiteral("script")});
  }

  void theScriptIsShownOrWhyThereIsNone() {
    Bench bench;
    answers(bench, {{"script", "import torch\n"}});
    ScriptModel model(bench.desk, bench.learn.schema(), bench.engine.home());
    model.setSpec({{"batch", 64}});
    QVERIFY(model.asking() && !model.canRun());
    QTRY_COMPARE_WITH_TIMEOUT(model.script(), QStringLiteral("import torch\n"), kPatience);
    QVERIFY(model.canRun());
    answers(bench, {{"something", "else"}});
    model.setSpec({{"batch", 32}});
    QTRY_VERIFY_WITH_TIMEOUT(model.error().has_value(), kPatience);
    QCOMPARE(model.error()->messages.front().id, std::string("scriptview.no_script"));
    QVERIFY(model.script().isEmpty() && !model.canRun());
  }

  void anOldAnswerIsDropped() {
    Bench bench;
    answers(bench, {{"script", "import torch\n"}});
    ScriptModel model(bench.desk, bench.learn.schema(), bench.engine.home());
    int told = 0;
    connect(&model, &ScriptModel::scriptChanged, this, [&] { told += model.asking() ? 0 : 1; });
    model.setSpec({{"batch", 64}});
    model.setSpec({{"batch", 32}});
    QTRY_VERIFY_WITH_TIMEOUT(!model.asking(), kPatience);
    QTest::qWait(300);
    QCOMPARE(told, 1);
  }

  void itRunsBesideTheNativeRunOnRecord() {
    Bench bench;
    QVERIFY(!writeRun(bench.engine.home(), specOf(64), 2500).empty());
    QVERIFY(!writeRun(bench.engine.home(), specOf(32), 9999).empty());
    answers(bench, {{"script", "import torch\n"}});
    ScriptModel model(bench.desk, bench.learn.schema(), bench.engine.home());
    model.setSpec({{"batch", 64}});
    QVERIFY(model.native() && model.nativeRecorded());
    QCOMPARE(model.native()->samplesPerSecond().y.first(), 2500.0);
    QTRY_VERIFY_WITH_TIMEOUT(model.canRun(), kPatience);
    bench.engine.says(pythonRun());
    model.runScript(QStringLiteral("Script"), QStringLiteral("PyTorch"));
    QCOMPARE(bench.desk.current()->job.command.verb, std::string("script"));
    QVERIFY(bench.desk.current()->job.command.arguments().contains(QStringLiteral("--run")));
    QTRY_VERIFY_WITH_TIMEOUT(model.job().idle(), kPatience);
    QCOMPARE(model.series().size(), 2);
    QCOMPARE(model.series().last()->label(), QStringLiteral("PyTorch"));
    QCOMPARE(model.series().last()->samplesPerSecond().y.size(), 20);
    QVERIFY(model.series().last()->summary().has_value());
    QVERIFY(model.native()->samplesPerSecond().y.size() == 20);
  }

  void aRunOfTheScriptIsNoNativeRun() {
    Bench bench;
    const auto id = registry::makeRunId();
    auto writer = registry::RunWriter::create(bench.engine.home(), id, specOf(64), {{"source", "python"}});
    QVERIFY(writer.ok());
    QVERIFY((*writer)->finish(summaryOf(id, 1500)).ok());
    answers(bench, {{"script", "import torch\n"}});
    ScriptModel model(bench.desk, bench.learn.schema(), bench.engine.home());
    model.setSpec({{"batch", 64}});
    QVERIFY(!model.native());
  }

  void aFailureIsTold() {
    Bench bench;
    answers(bench, {{"script", "import torch\n"}});
    ScriptModel model(bench.desk, bench.learn.schema(), bench.engine.home());
    model.setSpec({{"batch", 64}});
    QTRY_VERIFY_WITH_TIMEOUT(model.canRun(), kPatience);
    bench.engine.says({});
    model.runScript(QStringLiteral("Script"), QStringLiteral("PyTorch"));
    QTRY_VERIFY_WITH_TIMEOUT(model.job().idle(), kPatience);
    QVERIFY(model.failure().has_value());
    QVERIFY(model.canRun());
  }

  void pythonIsColouredQuietly() {
    Bench bench;
    CodeView view(bench.theme);
    view.setPlainText(
        QStringLiteral("import torch  # why\n\"\"\"opens\nimport\nends\"\"\" + 12\nx = 'it\\'s' if y else \"#\"\n"));
    view.restyle();
    const auto& tokens = bench.theme.tokens();
    const auto& document = *view.document();
    QCOMPARE(colourAt(document, 0, 0), tokens.accent);
    QVERIFY(!colourAt(document, 0, 8).isValid());
    QCOMPARE(colourAt(document, 0, 16), tokens.soft);
    QCOMPARE(colourAt(document, 1, 4), tokens.good);
    // A keyword within a text is text.
    QCOMPARE(colourAt(document, 2, 0), tokens.good);
    QCOMPARE(colourAt(document, 3, 5), tokens.good);
    QCOMPARE(colourAt(document, 3, 10), tokens.warn);
    QCOMPARE(colourAt(document, 4, 7), tokens.good);
    QCOMPARE(colourAt(document, 4, 12), tokens.accent);
    QCOMPARE(colourAt(document, 4, 23), tokens.good);
    QVERIFY(view.marginWidth() > 0);
  }

  void theDialogShowsCopiesAndSaves() {
    Bench bench;
    answers(bench, {{"script", "import torch\n"}});
    std::vector<nlohmann::json> specs;
    specs.push_back({{"batch", 64}});
    specs.push_back({{"batch", 32}});
    ScriptDialog dialog(bench.desktop, specs, nullptr);
    dialog.open();
    auto* code = dialog.findChild<QPlainTextEdit*>();
    QTRY_COMPARE_WITH_TIMEOUT(code->toPlainText(), QStringLiteral("import torch\n"), kPatience);
    QCOMPARE(dialog.findChild<QComboBox*>()->count(), 2);
    QTest::mouseClick(dialog.findChild<QPushButton*>(QStringLiteral("script.copy")), Qt::LeftButton);
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("import torch\n"));
    const auto file = QString::fromStdString((bench.engine.home() / "saved.py").string());
    QVERIFY(dialog.saveTo(file));
    QFile saved(file);
    QVERIFY(saved.open(QIODevice::ReadOnly));
    QCOMPARE(saved.readAll(), QByteArray("import torch\n"));
    QVERIFY(!dialog.saveTo(QString::fromStdString((bench.engine.home() / "no/such/folder.py").string())));
    bench.engine.says(pythonRun());
    QTest::mouseClick(dialog.findChild<QPushButton*>(QStringLiteral("script.run")), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(dialog.model().job().idle() && dialog.model().python(), kPatience);
    QVERIFY(dialog.model().python()->summary().has_value());
    for (const char* language : {"fr", "en"}) {
      bench.words.setLanguage(language);
      for (const auto* label : dialog.findChildren<QLabel*>())
        QVERIFY2(!label->text().contains(QLatin1String("scriptview.")), qPrintable(label->text()));
      for (const auto* button : dialog.findChildren<QPushButton*>())
        QVERIFY2(!button->text().contains(QLatin1String("scriptview.")), qPrintable(button->text()));
    }
  }

  void whatTheDialogStartedEndsWithIt() {
    Bench bench;
    bench.desk.setHeld(true);
    answers(bench, {{"script", "import torch\n"}});
    ScriptDialog dialog(bench.desktop, {nlohmann::json{{"batch", 64}}}, nullptr);
    dialog.open();
    QTRY_VERIFY_WITH_TIMEOUT(dialog.model().canRun(), kPatience);
    QTest::mouseClick(dialog.findChild<QPushButton*>(QStringLiteral("script.run")), Qt::LeftButton);
    QCOMPARE(bench.desk.waiting().size(), std::size_t{1});
    dialog.close();
    QVERIFY(bench.desk.waiting().empty());
  }
};

QTEST_MAIN(ScriptTest)
#include "script_test.moc"
