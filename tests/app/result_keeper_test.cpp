// A learner's results in the class's folder: as they come to be, told once when they can't be written, never of a trainer's
// scratch session; and a course that changes while it is shown.
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QtTest>

#include <filesystem>

#include "app/models/course_watch.h"
#include "app/models/result_keeper.h"
#include "comfort_fixture.h"
#include "labs/class/class.h"

using namespace atelier;
using namespace atelier::app;

namespace {

namespace fs = std::filesystem;

// Commits to a number where the lab asks for one first: a step that is done by that, or at least begun.
void predictSomething(LearnModel& learn) {
  const auto& steps = learn.session()->lab().steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].prediction) continue;
    learn.goTo(static_cast<int>(i));
    learn.predict(steps[i].prediction->min);
    return;
  }
}

// Answers all questions of the lab: its last steps are done by that.
void answerAll(LearnModel& learn) {
  const auto steps = learn.session()->lab().steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].quiz.empty()) continue;
    learn.goTo(static_cast<int>(i));
    for (const auto& question : steps[i].quiz) learn.answer(question.id, question.answer);
  }
}

// A copy of the course that a test may write in.
fs::path copyOfCourse(const QTemporaryDir& folder) {
  const auto copy = fs::path(folder.path().toStdString()) / "course";
  fs::copy(ATELIER_COURSE_DIR, copy, fs::copy_options::recursive);
  return copy;
}

void replaceIn(const fs::path& file, const QByteArray& from, const QByteArray& to) {
  QFile text(QString::fromStdString(file.string()));
  QVERIFY(text.open(QIODevice::ReadOnly));
  auto content = text.readAll();
  text.close();
  QVERIFY(content.contains(from));
  content.replace(from, to);
  QVERIFY(text.open(QIODevice::WriteOnly | QIODevice::Truncate));
  text.write(content);
}

}  // namespace

class ResultKeeperTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void resultsAppearWithEachFinishedStep() {
    const QTemporaryDir shared;
    Workplace place;
    ResultKeeper keeper(place.learn);
    QSignalSpy written(&keeper, &ResultKeeper::written);
    place.learn.setLearner(QStringLiteral("Anna"));
    keeper.setFolder(shared.path());
    predictSomething(place.learn);
    QVERIFY(!keeper.writing());  // nothing is finished yet
    answerAll(place.learn);
    QTRY_VERIFY_WITH_TIMEOUT(written.count() > 0 && !keeper.writing(), kPatience);
    const auto all = lab::readClass(shared.path().toStdString(), QDateTime::currentMSecsSinceEpoch());
    QCOMPARE(all.learners.size(), std::size_t{1});
    QCOMPARE(all.learners.front().name, std::string("Anna"));
    const auto before = written.count();
    place.learn.dismissNotices();  // a change that tells nothing new
    QVERIFY(!keeper.writing());
    QCOMPARE(written.count(), before);
  }

  void aFailureIsToldOnceAndTriedAgain() {
    const QTemporaryDir root;
    const auto shared = root.filePath(QStringLiteral("drive"));
    Workplace place;
    ResultKeeper keeper(place.learn);
    QSignalSpy failed(&keeper, &ResultKeeper::failed);
    QSignalSpy written(&keeper, &ResultKeeper::written);
    answerAll(place.learn);
    keeper.setFolder(shared);
    QTRY_VERIFY_WITH_TIMEOUT(failed.count() == 1 && !keeper.writing(), kPatience);
    QCOMPARE(place.learn.notices().size(), std::size_t{1});
    QCOMPARE(place.learn.notices().front().id, std::string("class.no_folder"));
    place.learn.dismissNotices();
    QTRY_VERIFY_WITH_TIMEOUT(failed.count() == 2 && !keeper.writing(), kPatience);
    QVERIFY(place.learn.notices().empty());
    QVERIFY(QDir().mkpath(shared));  // the drive is connected
    place.learn.dismissNotices();
    QTRY_VERIFY_WITH_TIMEOUT(written.count() > 0, kPatience);
  }

  void whatATrainerShowsIsNobodysResult() {
    const QTemporaryDir shared;
    Workplace place;
    ResultKeeper keeper(place.learn);
    place.learn.setPresenting(true);
    const auto lab = place.learn.session()->lab().id;
    QVERIFY(place.learn.jump(lab, 0));
    keeper.setFolder(shared.path());
    answerAll(place.learn);
    QVERIFY(place.learn.scratch());
    QVERIFY(!keeper.writing());
    QVERIFY(QDir(shared.path()).isEmpty());
  }

  void aCourseThatIsWrittenIsReadAnew() {
    const QTemporaryDir folder;
    const auto course = copyOfCourse(folder);
    Workplace place({}, course);
    CourseWatch watch(place.learn, place.desk);
    QVERIFY(!watch.look());
    const auto text = course / "day1-morning" / "measure-first" / "en.md";
    const auto title = QByteArray::fromStdString("# " + place.learn.session()->lab().title);
    place.learn.goTo(2);
    const auto step = place.learn.session()->step().id;
    replaceIn(text, title, "# A title of another length");
    QSignalSpy told(&place.learn, &LearnModel::languageChanged);
    QVERIFY(watch.look());
    QCOMPARE(told.count(), 1);
    QCOMPARE(place.learn.session()->lab().title, std::string("A title of another length"));
    QCOMPARE(place.learn.session()->step().id, step);
    QVERIFY(!watch.look());
  }

  void aBrokenLabStaysAsItWasAndSaysWhy() {
    const QTemporaryDir folder;
    const auto course = copyOfCourse(folder);
    Workplace place({}, course);
    predictSomething(place.learn);
    CourseWatch watch(place.learn, place.desk);
    const auto file = course / "day1-morning" / "measure-first" / "lab.toml";
    const auto title = place.learn.session()->lab().title;
    replaceIn(file, "minutes = ", "minutes == ");
    QVERIFY(watch.look());
    QVERIFY(place.learn.session());
    QCOMPARE(place.learn.session()->lab().title, title);
    QVERIFY(place.learn.session()->lab().outdated);
    QVERIFY(!place.learn.notices().empty());
    replaceIn(file, "minutes == ", "minutes = ");
    QVERIFY(watch.look());
    QVERIFY(!place.learn.session()->lab().outdated);
    QVERIFY(place.learn.notices().empty());
    // What was answered outlives all of it.
    QVERIFY(place.learn.session()->progress(place.learn.session()->step().id).prediction.has_value());
  }
};

QTEST_MAIN(ResultKeeperTest)
#include "result_keeper_test.moc"
