// What is looked at in the model of the run that goes: the newest health, how far its steps move the weights, and the page of
// the Profile view that shows both.
#include <QtTest>

#include <memory>
#include <utility>
#include <vector>

#include "app/models/health_watch.h"
#include "app/views/experiments/segment_switch.h"
#include "app/views/profile/health_page.h"
#include "app/views/profile/trace_table_view.h"
#include "runs_fixture.h"

using namespace atelier;
using namespace atelier::app;
using namespace atelier::app::testing;

namespace {

wire::Health healthAt(std::int64_t step) {
  wire::Health health;
  health.step = step;
  wire::TensorStats stats;
  stats.module = "fc.weight";
  stats.type = "Linear";
  stats.norm = 2;
  stats.count = 10;
  health.activations.push_back(stats);
  health.parameters.push_back(stats);
  return health;
}

wire::Gradients gradientsAt(std::int64_t step) {
  wire::Gradients gradients;
  gradients.step = step;
  gradients.norm = 2;
  gradients.layers = {{"fc.weight", 2, 20, 0.00125}};
  gradients.noise_scale = 512;
  return gradients;
}

void runToItsEnd(Bench& bench, std::vector<wire::EventBody> more) {
  auto events = eventsOf("20261130-104512-3f9a1c", specOf(), 2000);
  double at = 3;
  for (auto& body : more) events.push_back(eventAt(at++, std::move(body)));
  bench.engine.says(events);
  Job job;
  job.command.spec = specOf();
  bench.desk.submit(std::move(job));
  QTRY_VERIFY_WITH_TIMEOUT(!bench.desk.busy(), kPatience);
}

}  // namespace

class HealthWatchTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theNewestLookStaysUntilAnotherRunBegins() {
    Bench bench;
    HealthWatch watch(bench.desk);
    QCOMPARE(watch.gradients().step, std::int64_t{-1});
    runToItsEnd(bench, {wire::HealthSampled{healthAt(20)}, wire::GradientsSampled{gradientsAt(10)},
                        wire::GradientsSampled{gradientsAt(30)}});
    QVERIFY(!watch.live());
    QCOMPARE(watch.health().step, std::int64_t{20});
    QCOMPARE(watch.gradients().step, std::int64_t{30});
    QCOMPARE(watch.gradients().layers.front().update_ratio, 0.00125);
    runToItsEnd(bench, {});
    QCOMPARE(watch.health().step, std::int64_t{-1});
    QVERIFY(watch.gradients().layers.empty());
  }

  void theTableOfParametersSaysHowFarAStepMovesThem() {
    Bench bench;
    TraceSelection selection;
    HealthPage page(bench.desktop, selection);
    page.resize(1000, 600);
    page.show();
    runToItsEnd(bench, {wire::HealthSampled{healthAt(20)}, wire::GradientsSampled{gradientsAt(30)}});
    QTRY_VERIFY_WITH_TIMEOUT(page.health().step == 20, kPatience);
    const auto& table = page.table().table();
    const auto update = bench.words.text("profileview.column.update");
    const auto last = [&table] {
      return table.headerData(table.columnCount() - 1, Qt::Horizontal, Qt::DisplayRole).toString();
    };
    QVERIFY(last() != update);
    page.findChild<SegmentSwitch*>()->setCurrent(2);
    QCOMPARE(last(), update);
    QVERIFY(page.state().contains(bench.words.text(wire::Message{"profileview.health.updates", {{"step", "30"}}})));
    QVERIFY(page.state().contains(QStringLiteral("512")));
  }
};

QTEST_MAIN(HealthWatchTest)
#include "health_watch_test.moc"
