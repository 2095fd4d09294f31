// Pictures of the main views: at the size of $ATELIER_PICTURE_SIZE (and the scale of QT_SCALE_FACTOR), in both themes and both
// languages. A few are held against references in pictures/, with a tolerance: text may be set a hair differently elsewhere. Of
// all the others the structure: the size asked for, something drawn, no text missing.
//
// ATELIER_PICTURES=write writes the references of this size anew (a CMake test for each: tests/CMakeLists.txt). When one
// differs, the picture made and the difference lie in the working folder's pictures/.
#include <QDialog>
#include <QDir>
#include <QFileInfo>
#include <QHash>
#include <QImage>
#include <QtTest>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "look_over.h"
#include "whole_window.h"

using namespace atelier;
using namespace atelier::app;
using namespace atelier::app::testing;

namespace {

constexpr int kLevels = 24;             // of 255, by which a pixel may differ
constexpr double kShare = 0.01;         // of all pixels that may differ by more
constexpr qint64 kLargest = 150 << 10;  // bytes of a reference

// What is held against a reference: scene, size in points, scale, language, theme.
const QStringList kReferences{QStringLiteral("learn-question-1280x720@1-fr-light"),
                              QStringLiteral("learn-experiment-1280x720@1-en-dark"),
                              QStringLiteral("runs-1280x720@1-en-light"),
                              QStringLiteral("race-1280x720@1-fr-dark"),
                              QStringLiteral("class-1280x720@1-fr-light"),
                              QStringLiteral("checklist-1280x720@1-fr-light"),
                              QStringLiteral("settings-1280x720@1-fr-light"),
                              QStringLiteral("palette-1280x720@1-en-dark"),
                              QStringLiteral("presenter-1280x720@1-en-light"),
                              QStringLiteral("learn-experiment-1440x900@1-fr-light"),
                              QStringLiteral("sweep-1440x900@1-en-light"),
                              QStringLiteral("runs-1920x1080@1-fr-dark"),
                              QStringLiteral("learn-question-1920x1080@2-en-light")};

QString folderOfReferences() {
  return QStringLiteral(ATELIER_SOURCE_DIR "/tests/app/pictures");
}

QSize askedSize() {
  const auto parts = qEnvironmentVariable("ATELIER_PICTURE_SIZE", QStringLiteral("1280x720")).split(QLatin1Char('x'));
  return {parts.value(0).toInt(), parts.value(1).toInt()};
}

// The mean of each pixel and its eight neighbours, so that an edge half a pixel aside is no difference.
QImage blurred(const QImage& image) {
  QImage result(image.size(), QImage::Format_RGB32);
  const int width = image.width(), height = image.height();
  for (int y = 0; y < height; ++y) {
    auto* out = reinterpret_cast<QRgb*>(result.scanLine(y));
    for (int x = 0; x < width; ++x) {
      int red = 0, green = 0, blue = 0;
      for (int dy = -1; dy <= 1; ++dy) {
        const auto* line = reinterpret_cast<const QRgb*>(image.constScanLine(std::clamp(y + dy, 0, height - 1)));
        for (int dx = -1; dx <= 1; ++dx) {
          const QRgb pixel = line[std::clamp(x + dx, 0, width - 1)];
          red += qRed(pixel);
          green += qGreen(pixel);
          blue += qBlue(pixel);
        }
      }
      out[x] = qRgb(red / 9, green / 9, blue / 9);
    }
  }
  return result;
}

bool differs(QRgb a, QRgb b) {
  return std::abs(qRed(a) - qRed(b)) > kLevels || std::abs(qGreen(a) - qGreen(b)) > kLevels ||
         std::abs(qBlue(a) - qBlue(b)) > kLevels;
}

// The share of pixels that differ; `where` shows them. REQUIRES: equal sizes.
double difference(const QImage& made, const QImage& wanted, QImage& where) {
  const auto a = blurred(made), b = blurred(wanted);
  where = QImage(a.size(), QImage::Format_Grayscale8);
  where.fill(255);
  qint64 count = 0;
  for (int y = 0; y < a.height(); ++y) {
    const auto* left = reinterpret_cast<const QRgb*>(a.constScanLine(y));
    const auto* right = reinterpret_cast<const QRgb*>(b.constScanLine(y));
    auto* out = where.scanLine(y);
    for (int x = 0; x < a.width(); ++x) {
      if (!differs(left[x], right[x])) continue;
      ++count;
      out[x] = 0;
    }
  }
  return static_cast<double>(count) / (static_cast<double>(a.width()) * a.height());
}

// The 256 most frequent colours; others become the nearest of them. A view has few colours beside the edges of its letters.
QImage paletted(const QImage& image) {
  QHash<QRgb, int> counts;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) ++counts[image.pixel(x, y)];
  auto colours = counts.keys();
  std::sort(colours.begin(), colours.end(),
            [&counts](QRgb a, QRgb b) { return std::pair(counts.value(a), a) > std::pair(counts.value(b), b); });
  const QList<QRgb> table = colours.mid(0, 256);
  QHash<QRgb, uchar> places;
  for (const QRgb colour : std::as_const(colours)) {
    int least = std::numeric_limits<int>::max();
    for (qsizetype i = 0; i < table.size(); ++i) {
      const int red = qRed(colour) - qRed(table[i]), green = qGreen(colour) - qGreen(table[i]),
                blue = qBlue(colour) - qBlue(table[i]);
      const int distance = red * red + green * green + blue * blue;
      if (distance >= least) continue;
      least = distance;
      places[colour] = static_cast<uchar>(i);
    }
  }
  QImage result(image.size(), QImage::Format_Indexed8);
  result.setColorTable(table);
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) result.scanLine(y)[x] = places.value(image.pixel(x, y));
  return result;
}

// An empty window has a colour or two.
bool hasContent(const QImage& image) {
  QSet<QRgb> colours;
  for (int y = 0; y < image.height(); y += 4)
    for (int x = 0; x < image.width(); x += 4) colours.insert(image.pixel(x, y));
  return colours.size() > 16;
}

// What is in front: a dialog where there is one, else the window.
QWidget& front(WholeWindow& whole) {
  for (auto* widget : QApplication::topLevelWidgets())
    if (widget != whole.window.get() && widget->isVisible() && qobject_cast<QDialog*>(widget)) return *widget;
  return *whole.window;
}

}  // namespace

class PicturesTest : public QObject {
  Q_OBJECT

 private:
  QString m_made = QDir::current().filePath(QStringLiteral("pictures"));
  bool m_write = qEnvironmentVariable("ATELIER_PICTURES") == QLatin1String("write");

  static std::vector<Place> scenes() {
    auto all = places();
    const auto experiment = all[1].go;
    all.push_back({"settings", [](WholeWindow& whole) { QVERIFY(whole.trigger("settings")); }});
    all.push_back({"palette", [experiment](WholeWindow& whole) {
                     experiment(whole);
                     QVERIFY(whole.trigger("palette"));
                   }});
    all.push_back({"presenter", [experiment](WholeWindow& whole) {
                     experiment(whole);
                     whole.window->setPresenting(true);
                   }});
    return all;
  }

  void hold(const QString& name, const QImage& image) {
    const auto file = folderOfReferences() + QLatin1Char('/') + name + QStringLiteral(".png");
    if (m_write) {
      QVERIFY(QDir().mkpath(folderOfReferences()));
      QVERIFY2(paletted(image).save(file, "PNG", 0), qPrintable(file));
      QVERIFY2(QFileInfo(file).size() <= kLargest, qPrintable(file));
      return;
    }
    const auto wanted = QImage(file).convertToFormat(QImage::Format_RGB32);
    QVERIFY2(!wanted.isNull(), qPrintable(file + QStringLiteral(" is missing: run with ATELIER_PICTURES=write")));
    QImage where;
    double share = 1;
    if (wanted.size() == image.size()) share = difference(image, wanted, where);
    if (share < kShare) return;
    const auto made = m_made + QLatin1Char('/') + name;
    QDir().mkpath(m_made);
    image.save(made + QStringLiteral(".png"));
    where.save(made + QStringLiteral("-difference.png"));
    QFAIL(qPrintable(QStringLiteral("%1 differs in %2 % of its pixels: %3.png, %3-difference.png")
                         .arg(file)
                         .arg(100 * share, 0, 'f', 2)
                         .arg(made)));
  }

 public Q_SLOTS:
  void takeUrl(const QUrl&) {}

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY2(!fullSchema().options().empty(), "atelier-engine does not describe itself");
    QVERIFY(!askedSize().isEmpty());
    QApplication::setCursorFlashTime(0);
    openNothing(this);
  }

  void everySceneIsAsItWas_data() {
    QTest::addColumn<int>("scene");
    QTest::addColumn<QString>("language");
    QTest::addColumn<bool>("dark");
    const auto all = scenes();
    for (std::size_t i = 0; i < all.size(); ++i)
      for (const char* language : {"en", "fr"})
        for (const bool dark : {false, true}) {
          const auto look = QStringLiteral("%1-%2").arg(QLatin1String(language), QLatin1String(dark ? "dark" : "light"));
          // English in light and French in dark show all there is; the crossed looks only where a reference is held.
          const bool crossed = dark == (qstrcmp(language, "en") == 0);
          const auto scene = QLatin1String(all[i].name) + QLatin1Char('-');
          const bool held = std::any_of(kReferences.begin(), kReferences.end(), [&](const QString& reference) {
            return reference.startsWith(scene) && reference.endsWith(look);
          });
          if (crossed && !held) continue;
          QTest::addRow("%s-%s", all[i].name, qPrintable(look)) << static_cast<int>(i) << QString::fromLatin1(language) << dark;
        }
  }
  void everySceneIsAsItWas() {
    QFETCH(int, scene);
    QFETCH(QString, language);
    QFETCH(bool, dark);
    const auto place = scenes()[static_cast<std::size_t>(scene)];
    WholeWindow whole(language.toStdString(), dark ? Theme::Mode::Dark : Theme::Mode::Light);
    QVERIFY(whole.ready);
    whole.show(askedSize());
    place.go(whole);
    // Lists and the class are read on other threads.
    for (int i = 0; i < 5; ++i) whole.settle();
    if (qstrcmp(place.name, "runs") == 0) {
      QCOMPARE(whole.experiments()->runs().list().rowCount(), 3);
      QTRY_COMPARE_WITH_TIMEOUT(whole.experiments()->runs().overlay().series().size(), 3, kPatience);
      whole.settle();
    }
    auto& widget = front(whole);
    const auto ids = rawIds(widget);
    QVERIFY2(ids.isEmpty(), qPrintable(ids.join(QLatin1Char('\n'))));
    auto image = widget.grab().toImage();
    const double scale = image.devicePixelRatio();
    image = image.convertToFormat(QImage::Format_RGB32);
    image.setDevicePixelRatio(1);
    QCOMPARE(whole.window->size(), askedSize());
    QCOMPARE(image.size(), (QSizeF(widget.size()) * scale).toSize());
    QVERIFY(hasContent(image));
    const auto name = QStringLiteral("%1-%2x%3@%4-%5-%6")
                          .arg(QLatin1String(place.name))
                          .arg(askedSize().width())
                          .arg(askedSize().height())
                          .arg(qRound(scale))
                          .arg(language, dark ? QStringLiteral("dark") : QStringLiteral("light"));
    if (kReferences.contains(name)) hold(name, image);
    for (auto* top : QApplication::topLevelWidgets())
      if (top != whole.window.get() && qobject_cast<QDialog*>(top)) top->close();
  }

  // The tolerance itself: a few letters aside are no difference, a missing card is one.
  void aDifferenceIsSeenAndNoiseIsNot() {
    QImage one(400, 300, QImage::Format_RGB32), other, where;
    one.fill(Qt::white);
    other = one.copy();
    for (int x = 0; x < 60; ++x) other.setPixel(x, 10, qRgb(0, 0, 0));
    QVERIFY(difference(one, other, where) < kShare);
    for (int y = 0; y < 60; ++y)
      for (int x = 0; x < 60; ++x) other.setPixel(x, y, qRgb(0, 0, 0));
    QVERIFY(difference(one, other, where) > kShare);
    QCOMPARE(difference(one, one, where), 0.0);
    QVERIFY(difference(other, paletted(other).convertToFormat(QImage::Format_RGB32), where) < kShare);
  }
};

QTEST_MAIN(PicturesTest)
#include "pictures_test.moc"
