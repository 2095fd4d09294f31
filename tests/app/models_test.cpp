// The item models, under Qt's model tester: the course tree and the table of runs.
#include <QAbstractItemModelTester>
#include <QtTest>

#include "app/models/course_model.h"
#include "app/models/runs_table.h"
#include "app/shell/theme.h"
#include "core/wire/catalog.h"
#include "core/wire/format.h"

using namespace atelier;
using namespace atelier::app;

namespace {

lab::Lab labOf(const char* id, const char* number) {
  lab::Lab lab;
  lab.id = id;
  lab.number = number;
  lab.title = id;
  return lab;
}

lab::Course course() {
  lab::Course course;
  course.half_days.push_back(
      {"day1-morning", "Day 1", {labOf("measure-first", "1.1"), labOf("hooks", "1.3")}, {{"1.2", "Profile"}}});
  course.half_days.push_back({"day1-afternoon", "Day 1, later", {}, {{"1.10", "Ten"}, {"1.9", "Nine"}}});
  course.half_days.push_back({"day3-afternoon", "Empty", {}, {}});
  return course;
}

wire::RunEvent finished(double rate) {
  wire::RunFinished body;
  body.summary.samples_per_second = wire::Interval{rate, rate - 10, rate + 10, 10};
  body.summary.step_p50 = 60.7;
  body.summary.accuracy = 0.881;
  body.summary.peak_memory_bytes.total = 412LL << 20;
  wire::RunEvent event;
  event.body = body;
  return event;
}

}  // namespace

class ModelsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theCourseIsATree() {
    CourseModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setCourse(course());
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(model.labCount(), 5);
    const auto first = model.index(0, 0);
    QCOMPARE(model.rowCount(first), 3);
    QVERIFY(model.index(1, 0, first).data().toString().startsWith(QLatin1String("1.2")));
    QVERIFY(model.index(1, 0, model.index(1, 0)).data().toString().startsWith(QLatin1String("1.10")));
    QVERIFY(!model.flags(model.index(1, 0, first)).testFlag(Qt::ItemIsEnabled));
    model.setCourse({});
    QCOMPARE(model.rowCount(), 0);
  }

  void theCourseKnowsWhatIsDone() {
    CourseModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setCourse(course());
    model.setProgress({"measure-first"}, "hooks");
    QCOMPARE(model.indexOf("measure-first").data(CourseModel::StateRole).toInt(), static_cast<int>(CourseModel::Done));
    QCOMPARE(model.indexOf("hooks").data(CourseModel::StateRole).toInt(), static_cast<int>(CourseModel::Current));
    QVERIFY(model.indexOf("hooks").data(CourseModel::CurrentRole).toBool());
    QVERIFY(!model.indexOf("").isValid());
    QCOMPARE(model.doneCount(), 1);
  }

  void runsStandSideBySide() {
    const Theme theme(Theme::Mode::Light);
    const auto catalog = wire::Catalog::builtIn("fr");
    const wire::Format format("fr");
    RunsTable table(theme, catalog, format);
    const QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
    RunSeries a(QStringLiteral("A"), 0), b(QStringLiteral("B"), 1);
    table.setSeries({&a, &b});
    QCOMPARE(table.rowCount(), 2);
    QCOMPARE(table.index(0, RunsTable::Rate).data().toString(), QStringLiteral("—"));
    a.take(finished(2107));
    table.refresh();
    QVERIFY(table.index(0, RunsTable::Rate).data().toString().startsWith(QStringLiteral("2\u202f107")));
    QCOMPARE(table.index(0, RunsTable::Batch).data().toString(), QStringLiteral("60,7"));
    QCOMPARE(table.index(0, RunsTable::Memory).data(RunsTable::NumberRole).toDouble(), 412.0);
    QVERIFY(table.index(0, RunsTable::Accuracy).data().toString().startsWith(QStringLiteral("88,1")));
    QCOMPARE(table.index(1, RunsTable::Run).data(Qt::ForegroundRole).value<QColor>(), theme.seriesColor(1));
    table.setSeries({});
    QCOMPARE(table.rowCount(), 0);
  }
};

QTEST_MAIN(ModelsTest)
#include "models_test.moc"
