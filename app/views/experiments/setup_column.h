// SetupColumn: what is set up, to the left of what comes of it; it scrolls, and gives way where the page is narrow. GUI thread.
#pragma once

#include <QScrollArea>

namespace atelier::app {

class Theme;

class SetupColumn : public QScrollArea {
 public:
  // Takes `setup`.
  SetupColumn(const Theme& theme, QWidget* setup, QWidget* parent = nullptr);

  // To be called when the page has another width.
  void fit(int pageWidth);

 private:
  const Theme& m_theme;
};

}  // namespace atelier::app
