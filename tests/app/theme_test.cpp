// The tokens: readable in both themes, every series apart, a style sheet without leftovers, icons that are there.
#include <QtTest>

#include <array>

#include "app/shell/theme.h"

using namespace atelier::app;

namespace {

constexpr std::array kModes{Theme::Mode::Light, Theme::Mode::Dark, Theme::Mode::Contrast};

}  // namespace

class ThemeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // Every colour that text is written in, on every ground that the style sheet puts it on: AA, and AAA where contrast is asked
  // for.
  void textIsReadable() {
    for (const auto mode : kModes) {
      const auto& tokens = Theme::tokensOf(mode);
      const double least = mode == Theme::Mode::Contrast ? 7 : 4.5;
      const auto readable = [&](const QColor& text, const QColor& ground) { return contrastRatio(text, ground) >= least; };
      for (const auto& ground : {tokens.panel, tokens.ground, tokens.raised})
        for (const auto& text : {tokens.text, tokens.soft, tokens.good, tokens.warn, tokens.bad, tokens.accent})
          QVERIFY2(readable(text, ground),
                   qPrintable(QStringList({Theme::modeName(mode), text.name(), ground.name()}).join(QLatin1Char(' '))));
      QVERIFY(readable(tokens.text, tokens.line));  // a pressed button
      QVERIFY(readable(tokens.onAccent, tokens.accent));
    }
  }

  void highContrastShowsItsEdgesAndSeries() {
    const auto& tokens = Theme::contrast();
    constexpr double kGraphics = 3;
    for (const auto& ground : {tokens.panel, tokens.ground, tokens.raised}) {
      QVERIFY(contrastRatio(tokens.edge, ground) >= kGraphics);
      // A run's name is written in its colour.
      for (const auto& series : tokens.series) QVERIFY(contrastRatio(series, ground) >= 7);
    }
    QCOMPARE(tokens.series.size(), Theme::light().series.size());
  }

  void modesHaveNames() {
    for (const auto mode : kModes) QVERIFY(Theme::modeOf(Theme::modeName(mode)) == mode);
    QVERIFY(!Theme::modeOf(QStringLiteral("purple")));
    QVERIFY(!Theme::modeOf(QString()));
  }

  void contrastIsThatOfTheStandard() {
    QVERIFY(std::abs(contrastRatio(Qt::black, Qt::white) - 21) < 0.01);
    QCOMPARE(contrastRatio(Qt::red, Qt::red), 1.0);
  }

  void seriesDifferInMoreThanColour() {
    for (const auto mode : kModes) {
      const Theme theme(mode);
      for (int i = 0; i < 7; ++i) {
        for (int j = 0; j < i; ++j) {
          QVERIFY(theme.seriesColor(i) != theme.seriesColor(j));
          QVERIFY(Theme::seriesMarker(i) != Theme::seriesMarker(j));
          QVERIFY(Theme::seriesDash(i) != Theme::seriesDash(j));
        }
      }
    }
  }

  void theStyleSheetIsComplete() {
    for (const auto mode : kModes) {
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

  void theReadersTextSizeIsKeptInPresenterMode() {
    Theme theme(Theme::Mode::Light);
    theme.setTextScale(1.2);
    QCOMPARE(theme.px(100), 120);
    theme.setScale(Theme::kPresenterScale);
    QCOMPARE(theme.px(100), 180);
    theme.setTextScale(1.5);
    QCOMPARE(theme.scale(), Theme::kLargestScale);  // larger, and a small window would not hold a step
    theme.setScale(1);
    QCOMPARE(theme.px(100), 150);
  }
};

QTEST_MAIN(ThemeTest)
#include "theme_test.moc"
