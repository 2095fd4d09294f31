#include "setup_column.h"

#include <algorithm>

#include "app/shell/theme.h"
#include "app/views/learn/parts.h"

namespace atelier::app {

namespace {

constexpr int kWidth = 460, kLeast = 340;

}  // namespace

SetupColumn::SetupColumn(const Theme& theme, QWidget* setup, QWidget* parent) : QScrollArea(parent), m_theme(theme) {
  makeQuiet(*this);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setWidget(setup);
}

// What comes of it gets the room that a small window has.
void SetupColumn::fit(int pageWidth) {
  const int most = std::max(m_theme.px(kLeast), pageWidth * 2 / 5);
  setFixedWidth(std::min(m_theme.px(kWidth), most));
}

}  // namespace atelier::app
