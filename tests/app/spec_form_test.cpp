// A spec while it is being edited, and its form: mistakes named where they were typed, set back, undone, searched, compared.
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>
#include <QtTest>

#include "app/models/spec_edit.h"
#include "app/views/experiments/spec_form.h"
#include "core/wire/run_spec.h"
#include "runs_fixture.h"

using namespace atelier;
using namespace atelier::app;
using namespace atelier::app::testing;

namespace {

wire::Schema formSchema() {
  auto batch = wire::integerOption("batch", 128, 1, 4096);
  batch.common = true;
  auto precision = wire::choiceOption("precision", {"fp32", "bf16"});
  precision.common = true;
  auto fused = wire::booleanOption("fused", false);
  fused.common = true;
  auto rate = wire::numberOption("learning_rate", 0.001, 0, 10);
  rate.common = true;
  auto budget = wire::bytesOption("memory_budget");
  budget.group = "memory";
  auto schema = wire::Schema::build({batch, precision, fused, rate, budget, wire::numberOption("clip_norm", 0, 0, 1e9)});
  return schema ? *schema : wire::Schema();
}

SpecEdit edited(const nlohmann::json& spec = nlohmann::json::object()) {
  SpecEdit edit;
  edit.setSchema(formSchema());
  edit.setSpec(spec);
  return edit;
}

template <class Field>
Field* field(const SpecForm& form, const char* key) {
  return form.findChild<Field*>(QStringLiteral("spec.") + QLatin1String(key));
}

void typeInto(QLineEdit* line, const QString& text) {
  line->selectAll();
  QTest::keyClicks(line, text);
}

bool says(const SpecForm& form, const QString& text) {
  for (const auto* label : form.findChildren<QLabel*>())
    if (label->isVisibleTo(&form) && label->text() == text) return true;
  return false;
}

}  // namespace

class SpecFormTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void onlyWhatDiffersFromTheDefaultsIsKept() {
    auto edit = edited({{"batch", 64}, {"precision", "fp32"}, {"memory_budget", "512MiB"}});
    QCOMPARE(edit.spec(), (nlohmann::json{{"batch", 64}, {"memory_budget", 512 << 20}}));
    QCOMPARE(edit.typed("memory_budget"), std::string("512MiB"));
    edit.type("batch", "0128");
    QVERIFY(!edit.changed("batch") && edit.spec().size() == 1);
    QCOMPARE(edit.typed("batch"), std::string("0128"));
    edit.type("batch", "128");
    QVERIFY(!edit.changed("batch"));
  }

  void aMistakeIsKeptAndNamed() {
    auto edit = edited();
    edit.type("batch", "12x");
    QVERIFY(edit.mistake("batch").has_value());
    QCOMPARE(edit.mistake("batch")->id, std::string("option.integer"));
    // Whoever runs it is refused, rather than running something else.
    QCOMPARE(edit.spec()["batch"], nlohmann::json("12x"));
    QVERIFY(!wire::RunSpec::parse(formSchema(), edit.spec()).ok());
    edit.type("batch", "99999");
    QCOMPARE(edit.mistake("batch")->id, std::string("option.range"));
  }

  void anUnknownKeyIsKeptApartUntilItIsLeftOut() {
    auto edit = edited({{"bacth", 64}, {"batch", 32}});
    QCOMPARE(edit.mistakes().size(), std::size_t{1});
    QCOMPARE(edit.mistakes().front().id, std::string("spec.unknown_key_near"));
    QVERIFY(edit.spec().contains("bacth"));
    edit.dropStrays();
    QCOMPARE(edit.spec(), (nlohmann::json{{"batch", 32}}));
    edit.undo();
    QVERIFY(edit.spec().contains("bacth"));
  }

  void changesAreUndoneWordByWord() {
    auto edit = edited();
    for (const char* text : {"6", "64"}) edit.type("batch", text);
    edit.seal();
    edit.type("precision", "bf16");
    QCOMPARE(edit.spec().size(), std::size_t{2});
    edit.undo();
    QCOMPARE(edit.spec(), (nlohmann::json{{"batch", 64}}));
    edit.undo();
    QVERIFY(edit.spec().empty());
    QVERIFY(!edit.canUndo());
    edit.redo();
    edit.redo();
    QCOMPARE(edit.spec(), (nlohmann::json{{"batch", 64}, {"precision", "bf16"}}));
    edit.undo();
    edit.type("fused", "true");
    QVERIFY(!edit.canRedo());
  }

  void whatDiffersFromAReferenceIsMarkedAndSetBackToIt() {
    auto edit = edited({{"batch", 64}});
    edit.setReference({{"batch", 256}});
    QVERIFY(edit.differs("batch"));
    QVERIFY(!edit.differs("precision"));
    edit.reset("batch");
    QCOMPARE(edit.typed("batch"), std::string("256"));
    QVERIFY(!edit.differs("batch"));
    QVERIFY(edit.changed("batch"));
    edit.type("batch", "128");
    QVERIFY(edit.differs("batch"));
    QVERIFY(edit.spec().empty());
  }

  void aSpecFromBeforeTheEngineSpokeIsReadOnceItDid() {
    SpecEdit edit;
    edit.setSpec({{"batch", 64}});
    QCOMPARE(edit.spec(), (nlohmann::json{{"batch", 64}}));
    edit.setSchema(formSchema());
    QVERIFY(edit.strays().empty());
    QCOMPARE(edit.spec(), (nlohmann::json{{"batch", 64}}));
  }

  void theDifferenceNamesAValueThatIsBackAtItsDefault() {
    const auto schema = formSchema();
    QCOMPARE(specDifference(schema, {{"batch", 64}}, nlohmann::json::object()), (nlohmann::json{{"batch", 128}}));
    QVERIFY(specDifference(schema, {{"batch", 128}}, nlohmann::json::object()).empty());
    QCOMPARE(QString::fromStdString(specWords(schema, {{"batch", 64}})), QStringLiteral("batch\u00a0=\u00a064"));
  }

  void aWrongValueIsNamedInTheForm() {
    Bench bench;
    bench.learn.setSchema(formSchema());
    SpecForm form(bench.desktop);
    form.show();
    auto* batch = field<QLineEdit>(form, "batch");
    QVERIFY(batch);
    QSignalSpy changed(&form, &SpecForm::changed);
    typeInto(batch, QStringLiteral("none"));
    QVERIFY(changed.count() > 0);
    QCOMPARE(form.mistakes().size(), std::size_t{1});
    QVERIFY(says(form, bench.words.text(form.mistakes().front())));
    QCOMPARE(batch->text(), QStringLiteral("none"));
    typeInto(batch, QStringLiteral("64"));
    QVERIFY(form.mistakes().empty());
    QCOMPARE(form.spec(), (nlohmann::json{{"batch", 64}}));
  }

  void everyEditorChangesItsKeyAndIsSetBack() {
    Bench bench;
    bench.learn.setSchema(formSchema());
    SpecForm form(bench.desktop);
    form.show();
    field<QComboBox>(form, "precision")->setCurrentText(QStringLiteral("bf16"));
    field<QCheckBox>(form, "fused")->click();
    QCOMPARE(form.spec(), (nlohmann::json{{"fused", true}, {"precision", "bf16"}}));
    form.findChild<QToolButton*>(QStringLiteral("reset.precision"))->click();
    QCOMPARE(form.spec(), (nlohmann::json{{"fused", true}}));
    QCOMPARE(field<QComboBox>(form, "precision")->currentText(), QStringLiteral("fp32"));
    form.undo();
    QCOMPARE(field<QComboBox>(form, "precision")->currentText(), QStringLiteral("bf16"));
    form.findChild<QPushButton*>(QStringLiteral("spec.reset_all"))->click();
    QVERIFY(form.spec().empty());
    QVERIFY(!field<QCheckBox>(form, "fused")->isChecked());
  }

  void undoWorksByKeyWhileTheFieldHasNothingToTakeBack() {
    Bench bench;
    bench.learn.setSchema(formSchema());
    SpecForm form(bench.desktop);
    form.show();
    form.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&form));
    field<QComboBox>(form, "precision")->setCurrentText(QStringLiteral("bf16"));
    auto* batch = field<QLineEdit>(form, "batch");
    batch->setFocus();
    QTest::keySequence(batch, QKeySequence(QKeySequence::Undo));
    QVERIFY(form.spec().empty());
  }

  void theRestStandsBehindMoreAndIsFoundBySearching() {
    Bench bench;
    bench.learn.setSchema(formSchema());
    SpecForm form(bench.desktop);
    form.show();
    auto* clip = field<QLineEdit>(form, "clip_norm");
    QVERIFY(clip && !clip->isVisible());
    form.findChild<QPushButton*>(QStringLiteral("spec.more"))->click();
    QVERIFY(clip->isVisible());
    form.findChild<QPushButton*>(QStringLiteral("spec.more"))->click();
    QVERIFY(!clip->isVisible());
    auto* search = form.findChild<QLineEdit*>(QStringLiteral("spec.search"));
    search->setText(QStringLiteral("clip"));
    QVERIFY(clip->isVisible() && !field<QLineEdit>(form, "batch")->isVisible());
    search->setText(QStringLiteral("no such setting"));
    QVERIFY(says(form, bench.words.text("specform.nothing_found")));
    search->clear();
    // What is set is in sight, common or not.
    form.setSpec({{"clip_norm", 1.5}});
    QVERIFY(clip->isVisible());
  }

  void aFrenchReaderTypesADecimalComma() {
    Bench bench;
    bench.learn.setSchema(formSchema());
    bench.words.setLanguage("fr");
    SpecForm form(bench.desktop);
    form.show();
    auto* rate = field<QLineEdit>(form, "learning_rate");
    QCOMPARE(rate->text(), QStringLiteral("0,001"));
    typeInto(rate, QStringLiteral("0,25"));
    QCOMPARE(form.spec(), (nlohmann::json{{"learning_rate", 0.25}}));
    bench.words.setLanguage("en");
    // The old fields wait for the event loop to go.
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    QCOMPARE(field<QLineEdit>(form, "learning_rate")->text(), QStringLiteral("0.25"));
  }

  void everyEditorHasAName() {
    Bench bench;
    bench.learn.setSchema(formSchema());
    SpecForm form(bench.desktop);
    const auto schema = formSchema();
    for (const auto& option : schema.options()) {
      const auto* editor = field<QWidget>(form, option.key.c_str());
      QVERIFY2(editor && !editor->accessibleName().isEmpty(), option.key.c_str());
    }
  }
};

QTEST_MAIN(SpecFormTest)
#include "spec_form_test.moc"
