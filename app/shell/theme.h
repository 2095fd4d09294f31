// Theme: the one place for the look's tokens: colours (light, dark, high contrast), type sizes, series colours, markers and
// dashes, icons, and the style sheet generated from them. Invariant: nothing else in the app names a colour or a font.
// Presenter mode and the reader's text size are scale factors: every length that a widget takes from px() grows with their
// product, up to kLargestScale. GUI thread.
#pragma once

#include <QColor>
#include <QFont>
#include <QIcon>
#include <QObject>
#include <QPen>
#include <QString>
#include <QVector>

#include <optional>

namespace atelier::app {

struct Tokens {
  QColor ground, panel, raised, line, text, soft, accent, onAccent, good, warn, bad;
  QVector<QColor> series;
  QColor edge;  // borders of controls and panels; lines inside of them are `line`
};

class Theme : public QObject {
  Q_OBJECT
 public:
  // Contrast: white and bright colours on black, every text at 7 : 1 or more (WCAG 2.1, AAA), edges that are seen.
  enum class Mode { Light, Dark, Contrast };
  static constexpr double kPresenterScale = 1.5, kLargestScale = 2;

  // REQUIRES: a QGuiApplication. Registers the bundled fonts.
  explicit Theme(Mode mode, QObject* parent = nullptr);

  static const Tokens& light();
  static const Tokens& dark();
  static const Tokens& contrast();
  static const Tokens& tokensOf(Mode mode);
  // "light", "dark", "contrast", as settings and the command line call them.
  static QString modeName(Mode mode);
  static std::optional<Mode> modeOf(const QString& name);
  // Registers :/fonts once a process; harmless when called again.
  static void loadFonts();

  Mode mode() const { return m_mode; }
  bool isDark() const { return m_mode != Mode::Light; }
  double scale() const;
  const Tokens& tokens() const { return tokensOf(m_mode); }
  void setMode(Mode mode);
  void setScale(double scale);      // of presenter mode
  void setTextScale(double scale);  // what the reader chose

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
  double m_scale = 1.0, m_textScale = 1.0;
};

// WCAG 2.1 contrast ratio, 1 … 21.
double contrastRatio(const QColor& a, const QColor& b);

}  // namespace atelier::app
