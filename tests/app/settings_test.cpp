// What the window remembers: files that can't be read, values that nobody chose, preferences in effect at once, the dialog.
#include <sys/stat.h>

#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QtTest>

#include <algorithm>
#include <filesystem>

#include "app/models/preferences.h"
#include "app/shell/preferences_effect.h"
#include "app/shell/settings_dialog.h"
#include "comfort_fixture.h"
#include "core/registry/home.h"

using namespace atelier;
using namespace atelier::app;

namespace {

void put(const QString& path, const QByteArray& content) {
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(content);
}

}  // namespace

class SettingsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatIsSetIsThereAtOnceForTheNext() {
    const QTemporaryDir folder;
    const auto file = folder.filePath(QStringLiteral("window.ini"));
    Settings settings(file);
    QSignalSpy changed(&settings, &Settings::changed);
    settings.set(QStringLiteral("a/b"), 7);
    settings.set(QStringLiteral("a/b"), 7);
    QCOMPARE(changed.count(), 1);
    // The first one still lives: a kill would have lost nothing.
    const Settings again(file);
    QCOMPARE(again.value(QStringLiteral("a/b")).toInt(), 7);
    QVERIFY(!again.problem());
    settings.remove(QStringLiteral("a/b"));
    QVERIFY(!settings.value(QStringLiteral("a/b")).isValid());
  }

  void aDamagedFileIsSetAsideAndToldOnce() {
    const QTemporaryDir folder;
    const auto file = folder.filePath(QStringLiteral("window.ini"));
    put(file, "no settings at all\njust text\n");
    {
      Settings settings(file);
      QVERIFY(settings.problem().has_value());
      QCOMPARE(settings.problem()->id, std::string("settings.damaged"));
      settings.set(QStringLiteral("a"), 1);
    }
    QVERIFY(QFile::exists(file + QStringLiteral(".damaged")));
    const Settings again(file);
    QVERIFY(!again.problem());
    QCOMPARE(again.value(QStringLiteral("a")).toInt(), 1);
  }

  void hostileFilesHangNothing() {
    const QTemporaryDir folder;
    const auto pipe = folder.filePath(QStringLiteral("pipe.ini"));
    QCOMPARE(::mkfifo(pipe.toUtf8().constData(), 0600), 0);
    QVERIFY(Settings(pipe).problem().has_value());
    const auto directory = folder.filePath(QStringLiteral("directory.ini"));
    QVERIFY(QDir().mkpath(directory));
    QVERIFY(Settings(directory).problem().has_value());
    const auto huge = folder.filePath(QStringLiteral("huge.ini"));
    put(huge, QByteArray(3 << 20, 'x'));
    QVERIFY(Settings(huge).problem().has_value());
  }

  void valuesThatNobodyChoseAreTheDefaults() {
    Settings settings{QString()};
    const Preferences preferences(settings);
    settings.set(QLatin1String(Preferences::kTheme), QStringLiteral("purple"));
    settings.set(QLatin1String(Preferences::kLanguage), QStringLiteral("tlh"));
    settings.set(QLatin1String(Preferences::kTextSize), QStringLiteral("100000"));
    settings.set(QLatin1String(Preferences::kThreads), -4);
    settings.set(QLatin1String(Preferences::kBudget), QStringLiteral("a lot"));
    QCOMPARE(preferences.theme(), QString());
    QCOMPARE(preferences.language(), QString());
    QCOMPARE(preferences.textSize(), 100);
    QCOMPARE(preferences.threads(), 0);
    QCOMPARE(preferences.memoryBudget(), QString());
    QVERIFY(preferences.runDefaults().empty());
  }

  void preferencesAreCheckedAndReset() {
    Settings settings{QString()};
    Preferences preferences(settings);
    QVERIFY(preferences.setMemoryBudget(QStringLiteral(" 512MiB ")));
    QVERIFY(!preferences.setMemoryBudget(QStringLiteral("-1")));
    QVERIFY(!preferences.setMemoryBudget(QStringLiteral("1e99GiB")));
    QCOMPARE(preferences.memoryBudget(), QStringLiteral("512MiB"));
    preferences.setThreads(3);
    preferences.setLearner(QStringLiteral("  Anna\nMuster "));
    QCOMPARE(preferences.learner(), QStringLiteral("Anna Muster"));
    QCOMPARE(preferences.runDefaults()["threads"].get<int>(), 3);
    QCOMPARE(preferences.runDefaults()["memory_budget"].get<std::string>(), std::string("512MiB"));
    preferences.reset();
    QVERIFY(preferences.runDefaults().empty());
    QCOMPARE(preferences.learner(), QString());
  }

  void preferencesTakeEffectAtOnce() {
    Workplace place;
    const PreferencesEffect effect(place.desktop);
    Preferences preferences(place.settings);
    preferences.setTheme(QStringLiteral("contrast"));
    QVERIFY(place.theme.mode() == Theme::Mode::Contrast);
    preferences.setTextSize(150);
    QCOMPARE(place.theme.px(100), 150);
    preferences.setLanguage(QStringLiteral("fr"));
    QCOMPARE(place.words.language(), std::string("fr"));
    preferences.setLearner(QStringLiteral("Anna"));
    QCOMPARE(place.learn.learner(), QStringLiteral("Anna"));
    // And the other way: a name typed for a report.
    place.learn.setLearner(QStringLiteral("Ben"));
    QCOMPARE(preferences.learner(), QStringLiteral("Ben"));
    preferences.reset();
    QVERIFY(place.theme.mode() == Theme::Mode::Light);
    QCOMPARE(place.theme.px(100), 100);
    QCOMPARE(place.words.language(), std::string("en"));
  }

  void theDialogAppliesWithoutBeingConfirmed() {
    Workplace place;
    const PreferencesEffect effect(place.desktop);
    SettingsDialog dialog(place.desktop, nullptr);
    dialog.showField(QLatin1String(Preferences::kThreads));
    const Preferences preferences(place.settings);
    auto* threads = dialog.findChild<QSpinBox*>();
    threads->setValue(5);
    QCOMPARE(preferences.threads(), 5);
    const auto boxes = dialog.findChildren<QComboBox*>();
    QCOMPARE(boxes.size(), 3);
    boxes[1]->setFocus();
    boxes[1]->setCurrentIndex(2);
    Q_EMIT boxes[1]->activated(2);
    QVERIFY(place.theme.mode() == Theme::Mode::Contrast);
    Q_EMIT boxes[0]->activated(1);
    QCOMPARE(place.words.language(), std::string("fr"));
    QCOMPARE(dialog.windowTitle(), place.words.text("settings.title"));
    QCOMPARE(boxes[1]->currentIndex(), 2);
    for (auto* label : dialog.findChildren<QLabel*>())
      QVERIFY2(!label->text().startsWith(QLatin1String("settings.")), qPrintable(label->text()));
    for (auto* field : dialog.findChildren<QLineEdit*>())
      if (!qobject_cast<QAbstractSpinBox*>(field->parentWidget())) QVERIFY(!field->accessibleName().isEmpty());
  }

  void theDataFolderIsForTheNextStart() {
    Workplace place;
    qputenv("XDG_DATA_HOME", place.folder.path().toUtf8());
    SettingsDialog dialog(place.desktop, nullptr);
    const auto wanted = place.file("elsewhere");
    dialog.setFolderChooser([&](const QString&, const QString&) { return wanted; });
    QPushButton* choose = nullptr;
    for (auto* button : dialog.findChildren<QPushButton*>())
      if (button->text() == place.words.text("settings.choose")) choose = button;  // the last one is the data folder's
    QVERIFY(choose);
    choose->click();
    QVERIFY(registry::chosenHome() == std::filesystem::path(wanted.toStdString()));
    QVERIFY(std::filesystem::path(wanted.toStdString()) != place.desktop.home);
    bool told = false;
    for (const auto* label : dialog.findChildren<QLabel*>()) told = told || label->text().contains(wanted);
    QVERIFY(told);
    QVERIFY(registry::chooseHome({}).ok());
    qunsetenv("XDG_DATA_HOME");
  }

  void defaultsOfRunsLeaveWhatALabSays() {
    Workplace place;
    place.learn.setRunDefaults({{"threads", 2}, {"memory_budget", "2GiB"}});
    auto schema = wire::Schema::build({wire::integerOption("threads", 0, 0, 256), wire::bytesOption("memory_budget")});
    QVERIFY(schema.ok());
    place.learn.setSchema(schema);
    QVERIFY(place.learn.open("measure-first"));
    const auto& steps = place.learn.session()->lab().steps;
    const auto at = std::find_if(steps.begin(), steps.end(), [](const lab::Step& step) { return step.experiment.has_value(); });
    QVERIFY(at != steps.end());
    place.learn.goTo(static_cast<int>(at - steps.begin()));
    const bool offered = std::count(at->experiment->knobs.begin(), at->experiment->knobs.end(), "threads") > 0;
    const bool set = at->experiment->spec.contains("threads");
    place.learn.run();
    QTRY_VERIFY_WITH_TIMEOUT(!place.learn.running(), kPatience);
    // The engine is not there: what was asked of it is told with the failure.
    QVERIFY(place.learn.failedRequest());
    const auto& spec = place.learn.failedRequest()->spec;
    QCOMPARE(spec.value("memory_budget", std::string()), std::string("2GiB"));
    if (!offered && !set) QCOMPARE(spec.value("threads", 0), 2);
    else QVERIFY(!spec.contains("threads") || set);
  }
};

QTEST_MAIN(SettingsTest)
#include "settings_test.moc"
