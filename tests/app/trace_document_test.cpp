// Opening traces: a run's folder, a lone file, what is missing, damaged or hostile; giving up; what is chosen in them.
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include "app/models/trace_document.h"
#include "app/models/trace_selection.h"
#include "core/trace/chrome_json.h"
#include "trace_fixture.h"

using namespace atelier;
using namespace atelier::app;
using namespace atelier::app::testing;
using trace::testing::find;

namespace {

namespace fs = std::filesystem;
constexpr int kPatience = 20'000;

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

// What a profiled run leaves, of one finding whose second event the trace doesn't have.
nlohmann::json profileJson() {
  trace::Finding finding;
  finding.rule = "data_bound";
  finding.severity = trace::Severity::Critical;
  finding.share = 0.4;
  finding.events = {1, 1'000'000};
  trace::Peaks peaks;
  peaks.fp32_flops = 1e12;
  wire::Health health;
  health.step = 12;
  health.gradient_norm = 3.5;
  nlohmann::json profile{{"peaks", trace::toJson(peaks)}, {"health", wire::toJson(health)}};
  profile["diagnosis"].push_back(trace::toJson(finding));
  return profile;
}

class Folder {
 public:
  Folder() {
    const auto written = trace::writeChromeTrace(smallTrace(), path() / "trace.json.gz");
    if (!written) qFatal("no trace could be written");
  }
  fs::path path() const { return m_folder.path().toStdString(); }
  void put(const char* name, const std::string& text) const { write(path() / name, text); }

 private:
  QTemporaryDir m_folder;
};

std::string idOf(const wire::Error& error) {
  return error.messages.empty() ? std::string() : error.messages.front().id;
}

// What the document says while it opens; by its end it is idle again.
struct Ending {
  int opened = 0;
  QList<wire::Error> errors;
};

Ending endOf(TraceDocument& document, const fs::path& where) {
  Ending ending;
  QObject context;
  QObject::connect(&document, &TraceDocument::opened, &context, [&] { ++ending.opened; });
  QObject::connect(&document, &TraceDocument::failed, &context, [&](const wire::Error& error) { ending.errors << error; });
  document.open(where);
  const auto isIdle = [&] { return !document.loading(); };
  if (!QTest::qWaitFor(isIdle, kPatience)) qFatal("opening did not end");
  return ending;
}

}  // namespace

class TraceDocumentTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aRunsFolderGivesWhatTheRunHasSaid() {
    const Folder folder;
    folder.put("profile.json", profileJson().dump());
    folder.put("spec.json", R"({"model":"cnn","batch":128})");
    TraceDocument document;
    const auto ending = endOf(document, folder.path());
    QCOMPARE(ending.opened, 1);
    QVERIFY(ending.errors.isEmpty());
    const auto content = document.content();
    QVERIFY(content != nullptr);
    QCOMPARE(content->trace.events.size(), smallTrace().events.size());
    QVERIFY(content->folder == folder.path());
    QVERIFY(content->file == folder.path() / "trace.json.gz");
    QCOMPARE(content->findings.size(), std::size_t{1});
    QCOMPARE(content->findings[0].rule, std::string("data_bound"));
    // What the trace doesn't have can't be pointed at.
    QVERIFY(content->findings[0].events == std::vector<std::int32_t>{1});
    QCOMPARE(content->report.peaks.fp32_flops, 1e12);
    QCOMPARE(content->health.step, std::int64_t{12});
    QCOMPARE(content->health.gradient_norm, 3.5);
    QCOMPARE(content->spec.value("batch", 0), 128);
    QVERIFY(content->notices.empty());
    QCOMPARE(content->report.breakdown.steps, std::int64_t{2});
    QCOMPARE(content->timeline.mainTrack(), content->flameTrack);
    QVERIFY(content->flame.total_ns > 0);
  }

  void aLoneFileIsAnalysedHere() {
    const Folder folder;
    const auto file = folder.path() / "export.json";
    QVERIFY(trace::writeChromeTrace(smallTrace(), file).ok());
    TraceDocument document;
    QCOMPARE(endOf(document, file).opened, 1);
    QVERIFY(document.content()->folder.empty());
    QVERIFY(document.content()->file == file);
    QVERIFY(document.content()->notices.empty());
    QCOMPARE(document.content()->health.step, std::int64_t{-1});
    QCOMPARE(document.content()->report.operators.empty(), false);
  }

  void anUnreadableProfileIsSaidAndMadeAnew() {
    for (const char* damaged : {"", "{\"diagnosis\":[", "[1,2]", "{\"diagnosis\":{},\"diagnosis\":{}}"}) {
      const Folder folder;
      folder.put("profile.json", damaged);
      folder.put("spec.json", "not json");
      TraceDocument document;
      QCOMPARE(endOf(document, folder.path()).opened, 1);
      const auto& content = *document.content();
      QCOMPARE(content.notices.size(), std::size_t{1});
      QCOMPARE(content.notices[0].id, std::string("timeline.profile_unreadable"));
      QVERIFY(content.notices[0].args[0].second.find("profile.json") != std::string::npos);
      QVERIFY(content.spec.is_object() && content.spec.empty());
      const auto anew = TraceDocument::contentOf(smallTrace());
      QCOMPARE(content.findings.size(), anew->findings.size());
    }
  }

  void membersOfOtherTypesAreTakenForNothing() {
    const Folder folder;
    folder.put("profile.json", R"({"diagnosis":[7,{"rule":5,"events":["x",-3,2]}],"peaks":[1],"health":"ill"})");
    TraceDocument document;
    QCOMPARE(endOf(document, folder.path()).opened, 1);
    const auto& findings = document.content()->findings;
    QCOMPARE(findings.size(), std::size_t{2});
    QVERIFY(findings[0].rule.empty() && findings[1].rule.empty());
    QVERIFY(findings[1].events == std::vector<std::int32_t>{2});
    QCOMPARE(document.content()->report.peaks.fp32_flops, 0.0);
    QCOMPARE(document.content()->health.step, std::int64_t{-1});
  }

  void whatCantBeReadFailsAndTheFormerStays() {
    const Folder folder;
    TraceDocument document;
    QCOMPARE(endOf(document, folder.path()).opened, 1);
    const auto before = document.content();
    folder.put("broken.json", "{\"traceEvents\":[{\"ph\":");
    folder.put("other.json", "{\"answer\":42}");
    const auto nowhere = endOf(document, folder.path() / "nowhere");
    QCOMPARE(nowhere.errors.size(), qsizetype{1});
    QCOMPARE(idOf(nowhere.errors.value(0)), std::string("trace.missing"));
    QCOMPARE(idOf(endOf(document, folder.path() / "broken.json").errors.value(0)), std::string("trace.truncated"));
    QCOMPARE(idOf(endOf(document, folder.path() / "other.json").errors.value(0)), std::string("trace.not_a_trace"));
    const QTemporaryDir empty;
    QCOMPARE(idOf(endOf(document, empty.path().toStdString()).errors.value(0)), std::string("trace.missing"));
    QVERIFY(document.content() == before);
  }

  void whatIsCancelledSaysNothingMore() {
    const Folder folder;
    TraceDocument document;
    QSignalSpy opened(&document, &TraceDocument::opened), failed(&document, &TraceDocument::failed);
    QSignalSpy loading(&document, &TraceDocument::loadingChanged);
    document.open(folder.path());
    QVERIFY(document.loading());
    document.cancel();
    QVERIFY(!document.loading());
    QCOMPARE(loading.count(), 2);
    document.cancel();
    QCOMPARE(loading.count(), 2);
    QTest::qWait(300);
    QCOMPARE(opened.count() + failed.count(), 0);
    QVERIFY(document.content() == nullptr);
    // And can be asked anew.
    QCOMPARE(endOf(document, folder.path()).opened, 1);
  }

  void ofTwoThatAreAskedForTheLaterIsShown() {
    const Folder first, second;
    TraceDocument document;
    QSignalSpy opened(&document, &TraceDocument::opened);
    document.open(first.path());
    QCOMPARE(endOf(document, second.path()).opened, 1);
    QTest::qWait(100);
    QCOMPARE(opened.count(), 1);
    QVERIFY(document.content()->folder == second.path());
    QVERIFY(document.where() == second.path());
  }

  void aDocumentMayGoWhileItOpens() {
    const Folder folder;
    auto document = std::make_unique<TraceDocument>();
    int told = 0;
    connect(document.get(), &TraceDocument::opened, this, [&] { ++told; });
    document->open(folder.path());
    document.reset();
    QTest::qWait(300);
    QCOMPARE(told, 0);
  }

  void progressOnlyRisesAndCanGiveUp() {
    const Folder folder;
    std::vector<double> shares;
    const auto loaded = TraceDocument::load(folder.path(), [&](double share) {
      shares.push_back(share);
      return true;
    });
    QVERIFY(loaded.ok());
    QVERIFY(shares.size() >= 3);
    QVERIFY(std::is_sorted(shares.begin(), shares.end()));
    QCOMPARE(shares.back(), 1.0);
    // At whatever moment.
    for (std::size_t most = 0; most < shares.size(); ++most) {
      std::size_t calls = 0;
      const auto givenUp = TraceDocument::load(folder.path(), [&](double) { return calls++ < most; });
      QVERIFY(!givenUp.ok());
      QCOMPARE(idOf(givenUp.error()), std::string("trace.cancelled"));
    }
  }

  void choosingIsToldOnceAndTakesNameAndModuleAlong() {
    const auto made = smallTrace();
    const auto conv = find(made, "aten::conv2d"), relu = find(made, "aten::relu");
    TraceSelection selection;
    QSignalSpy changed(&selection, &TraceSelection::changed), spans(&selection, &TraceSelection::spanChanged);
    QVERIFY(selection.empty());
    selection.selectEvent(made, conv);
    selection.selectEvent(made, conv);
    QCOMPARE(changed.count(), 1);
    QCOMPARE(selection.event(), conv);
    QCOMPARE(made.names[static_cast<std::size_t>(selection.name())], std::string("aten::conv2d"));
    QCOMPARE(made.modules[static_cast<std::size_t>(selection.module())].path, std::string("features.0"));
    selection.selectName(made.events[static_cast<std::size_t>(relu)].name);
    QCOMPARE(selection.event(), -1);
    QCOMPARE(selection.module(), -1);
    selection.selectModule(0);
    QCOMPARE(selection.name(), -1);
    QCOMPARE(selection.module(), 0);
    selection.selectEvent(made, -1);
    QVERIFY(selection.empty());
    QCOMPARE(changed.count(), 4);
    QCOMPARE(spans.count(), 0);
  }

  void aSpanIsPutInOrderAndAnEmptyOneIsNone() {
    TraceSelection selection;
    QSignalSpy spans(&selection, &TraceSelection::spanChanged);
    selection.selectSpan(trace::Span{500, 100});
    QVERIFY(selection.span().has_value());
    QCOMPARE(selection.span()->from, std::int64_t{100});
    QCOMPARE(selection.span()->to, std::int64_t{500});
    selection.selectSpan(trace::Span{100, 500});
    QCOMPARE(spans.count(), 1);
    selection.clear();
    QVERIFY(selection.span().has_value());
    selection.selectSpan(trace::Span{7, 7});
    QVERIFY(!selection.span().has_value());
    QCOMPARE(spans.count(), 2);
  }
};

QTEST_MAIN(TraceDocumentTest)
#include "trace_document_test.moc"
