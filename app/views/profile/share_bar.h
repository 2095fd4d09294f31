// ShareBar: shares of a whole side by side, each in its colour; what is left is pale. It says in words what it shows. GUI
// thread.
#pragma once

#include <QColor>
#include <QVector>
#include <QWidget>

namespace atelier::app {

class Theme;

class ShareBar : public QWidget {
  Q_OBJECT
 public:
  struct Part {
    double share = 0;  // 0 … 1
    QColor color;
  };

  explicit ShareBar(const Theme& theme, QWidget* parent = nullptr);

  // `words`: what it says, for those who don't see it.
  void setParts(QVector<Part> parts, const QString& words);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const Theme& m_theme;
  QVector<Part> m_parts;
};

}  // namespace atelier::app
