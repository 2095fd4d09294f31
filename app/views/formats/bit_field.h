// BitField: the code of a number as cells, the sign at the left: a cell a bit, coloured by its field, filled where it is 1.
// Fields also differ by the gaps between them and by the line under them (dotted, solid, dashed), so that they read without
// colour. A click flips a bit, and dragging flips each that is crossed; Left, Right, Home and End move, Space flips, Up and
// Down go to the next greater and smaller number. What memory holds below the code is drawn and can't be flipped. GUI thread.
#pragma once

#include <QRectF>
#include <QWidget>

#include <cstdint>

#include "core/wire/number_format.h"

class QPainter;

namespace atelier::app {

class Theme;
class Words;

class BitField : public QWidget {
  Q_OBJECT
 public:
  static constexpr int kMostBits = 32;  // cells are as wide as if there were so many, so that formats stand under one another

  BitField(const Theme& theme, const Words& words, QWidget* parent = nullptr);

  void setCode(const wire::NumberFormat& format, std::uint32_t bits);
  std::uint32_t bits() const { return m_bits; }
  int current() const { return m_current; }  // the bit that keys flip; 0: the lowest
  QRectF cell(int bit) const;                // of a bit of the code
  void restyle();
  void retext();
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void flipped(int bit);
  void walked(bool upwards);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  enum class Field { Sign, Exponent, Mantissa, Padding };
  Field fieldAt(int place) const;  // place 0: leftmost
  QRectF cellAt(int place) const;
  int bitAt(const QPointF& at) const;  // −1: none
  void drawCell(QPainter& painter, int place) const;
  void drawLine(QPainter& painter, int from, int to) const;
  void flip(int bit);
  void setCurrent(int bit);

  const Theme& m_theme;
  const Words& m_words;
  wire::NumberFormat m_format = wire::numberFormats().front();
  std::uint32_t m_bits = 0;
  int m_current = 0;
  int m_crossed = -1;  // by the drag that goes; −1: none
};

}  // namespace atelier::app
