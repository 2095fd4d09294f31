// Theme: the one place for the look's tokens: colours (light and dark), type sizes, series colours, markers and dashes, icons,
// and the style sheet generated from them. Invariant: nothing else in the app names a colour or a font. Presenter mode is a
// scale factor: every length that a widget takes from px() grows with it. GUI thread.
#pragma once

#include <QColor>
#include <QFont>
#include <QIcon>
#include <QObject>
#include <QPen>
#include <QString>
#include <QVector>

namespace atelier::app {

struct Tokens {
  QColor ground, panel, raised, line, text, soft, accent, onAccent, good, warn, bad;
  QVector<QColor> series;
};

class Theme : public QObject {
  Q_OBJECT
 public:
  enum class Mode { Light, Dark };
  static constexpr double kPresenterScale = 1.5;

  // REQUIRES: a QGuiApplication. Registers the bundled fonts.
  explicit Theme(Mode mode, QObject* parent = nullptr);

  static const Tokens& light();
  static const Tokens& dark();
  // Registers :/fonts once a process; harmless when called again.
  static void loadFonts();

  Mode mode() const { return m_mode; }
  double scale() const { return m_scale; }
  const Tokens& tokens() const { return m_mode == Mode::Dark ? dark() : light(); }
  void setMode(Mode mode);
  void setScale(double scale);

  int px(double length) const;  // a length of the look at the present scale
  QFont font(double pixels, QFont::Weight weight = QFont::Normal) const;
  QFont monospace(double pixels) const;
  int lineWidth() const;       // of the 72 characters that a line of a lab's text has at most
  QString styleSheet() const;  // for QApplication::setStyleSheet

  // The same order gives the same colour, dash and marker in every plot, table and in the PDF.
  QColor seriesColor(int order) const;
  QPen seriesPen(int order) const;
  static QString seriesMarker(int order);       // one character: ● ■ ▲ …
  static QVector<qreal> seriesDash(int order);  // in line widths; empty is solid

  // A stroke icon of :/icons in the given colour; sharp at every scale.
  QIcon icon(const QString& name, const QColor& color) const;
  QIcon icon(const QString& name) const { return icon(name, tokens().text); }
  QPixmap pixmap(const QString& name, const QColor& color, int size) const;

 Q_SIGNALS:
  void changed();  // mode or scale: restyle

 private:
  Mode m_mode;
  double m_scale = 1.0;
};

// WCAG 2.1 contrast ratio, 1 … 21.
double contrastRatio(const QColor& a, const QColor& b);

}  // namespace atelier::app
