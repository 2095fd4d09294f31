#include "theme.h"

#include <QFile>
#include <QFontDatabase>
#include <QFontMetrics>
#include <QPainter>
#include <QSvgRenderer>

#include <algorithm>
#include <cmath>

namespace atelier::app {

namespace {

QVector<QColor> colors(std::initializer_list<const char*> names) {
  QVector<QColor> all;
  for (const char* name : names) all.append(QColor(QLatin1String(name)));
  return all;
}

double linear(double channel) {
  return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& color) {
  return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

// The stroke colour that the icon files are drawn in. It reads on both themes, because style sheets use the files as they are.
constexpr auto kIconStroke = "#7D8896";

}  // namespace

double contrastRatio(const QColor& a, const QColor& b) {
  const double la = luminance(a), lb = luminance(b);
  return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

Theme::Theme(Mode mode, QObject* parent) : QObject(parent), m_mode(mode) {
  loadFonts();
}

const Tokens& Theme::light() {
  static const Tokens tokens{
      QColor(0xF6F7F9), QColor(0xFFFFFF), QColor(0xF0F2F5),
      QColor(0xDFE3E8), QColor(0x1B2330), QColor(0x5B6675),
      QColor(0x2457C5), QColor(0xFFFFFF), QColor(0x1A7C49),
      QColor(0x946300), QColor(0xB3261E), colors({"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#6B5B95"}),
      QColor(0xDFE3E8)};
  return tokens;
}

const Tokens& Theme::dark() {
  static const Tokens tokens{
      QColor(0x14181F), QColor(0x1B2029), QColor(0x242B36),
      QColor(0x333C49), QColor(0xE8ECF2), QColor(0x9AA6B5),
      QColor(0x7AA2F7), QColor(0x0F1420), QColor(0x5CC98F),
      QColor(0xE3B341), QColor(0xF2857C), colors({"#56B4E9", "#E69F00", "#4FD1A5", "#E38FC0", "#F0E442", "#7AA2F7", "#B9A7E0"}),
      QColor(0x333C49)};
  return tokens;
}

const Tokens& Theme::contrast() {
  static const Tokens tokens{
      QColor(Qt::black), QColor(Qt::black),
      QColor(0x1A1A1A),  QColor(0x404040),
      QColor(0xFFFFFF),  QColor(0xD6D6D6),
      QColor(0xFFD83D),  QColor(Qt::black),
      QColor(0x63F2A8),  QColor(0xFFC24D),
      QColor(0xFF9E96),  colors({"#4FC3FF", "#FF9F1C", "#35F0B0", "#FF9AD9", "#FFF04D", "#A9A9FF", "#FFFFFF"}),
      QColor(0xB8C0CC)};
  return tokens;
}

const Tokens& Theme::tokensOf(Mode mode) {
  if (mode == Mode::Contrast) return contrast();
  return mode == Mode::Dark ? dark() : light();
}

QString Theme::modeName(Mode mode) {
  if (mode == Mode::Contrast) return QStringLiteral("contrast");
  return mode == Mode::Dark ? QStringLiteral("dark") : QStringLiteral("light");
}

std::optional<Theme::Mode> Theme::modeOf(const QString& name) {
  for (const auto mode : {Mode::Light, Mode::Dark, Mode::Contrast})
    if (name == modeName(mode)) return mode;
  return std::nullopt;
}

void Theme::loadFonts() {
  for (const char* file :
       {"Inter-Regular.otf", "Inter-Medium.otf", "Inter-SemiBold.otf", "Inter-Bold.otf", "JetBrainsMono-Regular.ttf"}) {
    const QString path = QStringLiteral(":/fonts/") + QLatin1String(file);
    if (QFile::exists(path)) QFontDatabase::addApplicationFont(path);
  }
}

void Theme::setMode(Mode mode) {
  if (mode == m_mode) return;
  m_mode = mode;
  Q_EMIT changed();
}

void Theme::setScale(double scale) {
  if (qFuzzyCompare(scale, m_scale)) return;
  m_scale = scale;
  Q_EMIT changed();
}

void Theme::setTextScale(double scale) {
  if (qFuzzyCompare(scale, m_textScale)) return;
  m_textScale = scale;
  Q_EMIT changed();
}

double Theme::scale() const {
  return std::min(kLargestScale, m_scale * m_textScale);
}

int Theme::px(double length) const {
  return static_cast<int>(std::lround(length * scale()));
}

QFont Theme::font(double pixels, QFont::Weight weight) const {
  QFont font(QStringLiteral("Inter"));
  font.setPixelSize(std::max(1, px(pixels)));
  font.setWeight(weight);
  return font;
}

QFont Theme::monospace(double pixels) const {
  QFont font(QStringLiteral("JetBrains Mono"));
  font.setStyleHint(QFont::Monospace);
  font.setPixelSize(std::max(1, px(pixels)));
  return font;
}

int Theme::lineWidth() const {
  // A font's own mean width counts every glyph alike; a line holds mostly narrow letters.
  const auto sample = QStringLiteral("Measure first, change one thing, measure again, and let the interval decide.");
  constexpr double kBody = 14;
  constexpr qsizetype kCharacters = 72;
  return static_cast<int>(QFontMetrics(font(kBody)).horizontalAdvance(sample) * kCharacters / sample.size());
}

QColor Theme::seriesColor(int order) const {
  const auto& all = tokens().series;
  return all.at(std::max(0, order) % all.size());
}

QPen Theme::seriesPen(int order) const {
  QPen pen(seriesColor(order), 1.8 * scale());
  pen.setJoinStyle(Qt::RoundJoin);
  const auto dash = seriesDash(order);
  if (!dash.isEmpty()) {
    pen.setDashPattern(dash);
    pen.setCapStyle(Qt::FlatCap);
  }
  return pen;
}

// When the colours come round again the markers and dashes are one further: only after 49 runs do two look alike.
static int inRound(int order, int count) {
  const int at = std::max(0, order);
  return (at + at / count) % count;
}

QString Theme::seriesMarker(int order) {
  static const QString markers = QStringLiteral("●■▲◆▼★✚");
  return markers.mid(inRound(order, static_cast<int>(markers.size())), 1);
}

QVector<qreal> Theme::seriesDash(int order) {
  static const QVector<QVector<qreal>> dashes{{}, {10, 2}, {5, 2}, {8, 2, 2, 2}, {3, 2}, {10, 2, 2, 2, 2, 2}, {1.5, 2}};
  return dashes.at(inRound(order, static_cast<int>(dashes.size())));
}

QPixmap Theme::pixmap(const QString& name, const QColor& color, int size) const {
  QFile file(QStringLiteral(":/icons/") + name + QStringLiteral(".svg"));
  // Twice the size: the painter scales down for ordinary screens and stays sharp on dense ones.
  QPixmap picture(2 * size, 2 * size);
  picture.fill(Qt::transparent);
  picture.setDevicePixelRatio(2);
  if (!file.open(QIODevice::ReadOnly)) return picture;
  QSvgRenderer renderer(file.readAll().replace(kIconStroke, color.name().toLatin1()));
  QPainter painter(&picture);
  renderer.render(&painter, QRectF(0, 0, size, size));
  return picture;
}

QIcon Theme::icon(const QString& name, const QColor& color) const {
  QIcon icon;
  icon.addPixmap(pixmap(name, color, px(16)));
  icon.addPixmap(pixmap(name, tokens().soft, px(16)), QIcon::Disabled);
  return icon;
}

}  // namespace atelier::app
