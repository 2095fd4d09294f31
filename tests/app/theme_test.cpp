// The tokens: readable in both themes, every series apart, a style sheet without leftovers, icons that are there.
#include <QtTest>

#include "app/shell/theme.h"

using namespace atelier::app;

class ThemeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void textIsReadable() {
    constexpr double kText = 4.5;
    for (const auto* tokens : {&Theme::light(), &Theme::dark()}) {
      for (const auto& ground : {tokens->panel, tokens->ground, tokens->raised}) {
        QVERIFY(contrastRatio(tokens->text, ground) >= kText);
        QVERIFY(contrastRatio(tokens->soft, ground) >= kText);
      }
      for (const auto& tone : {tokens->good, tokens->warn, tokens->bad, tokens->accent})
        QVERIFY(contrastRatio(tone, tokens->panel) >= kText);
      QVERIFY(contrastRatio(tokens->onAccent, tokens->accent) >= kText);
    }
  }

  void contrastIsThatOfTheStandard() {
    QVERIFY(std::abs(contrastRatio(Qt::black, Qt::white) - 21) < 0.01);
    QCOMPARE(contrastRatio(Qt::red, Qt::red), 1.0);
  }

  void seriesDifferInMoreThanColour() {
    const Theme theme(Theme::Mode::Light);
    for (int i = 0; i < 7; ++i) {
      for (int j = 0; j < i; ++j) {
        QVERIFY(theme.seriesColor(i) != theme.seriesColor(j));
        QVERIFY(Theme::seriesMarker(i) != Theme::seriesMarker(j));
        QVERIFY(Theme::seriesDash(i) != Theme::seriesDash(j));
      }
    }
  }

  void theStyleSheetIsComplete() {
    for (const auto mode : {Theme::Mode::Light, Theme::Mode::Dark}) {
      const Theme theme(mode);
      QVERIFY(!theme.styleSheet().contains(QLatin1Char('@')));
      QCOMPARE(theme.styleSheet().count(QLatin1Char('{')), theme.styleSheet().count(QLatin1Char('}')));
    }
  }

  void presenterModeScalesLengths() {
    Theme theme(Theme::Mode::Light);
    QSignalSpy changed(&theme, &Theme::changed);
    theme.setScale(Theme::kPresenterScale);
    theme.setScale(Theme::kPresenterScale);
    QCOMPARE(changed.count(), 1);
    QCOMPARE(theme.px(20), 30);
    QCOMPARE(theme.font(14).pixelSize(), 21);
    QVERIFY(theme.styleSheet().contains(QLatin1String("border: 1px solid")));
  }
};

QTEST_MAIN(ThemeTest)
#include "theme_test.moc"
