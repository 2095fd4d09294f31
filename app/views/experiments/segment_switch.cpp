#include "segment_switch.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QToolButton>

namespace atelier::app {

SegmentSwitch::SegmentSwitch(int segments, QWidget* parent) : QWidget(parent) {
  setProperty("role", "plain");
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  auto* group = new QButtonGroup(this);
  for (int i = 0; i < segments; ++i) {
    auto* button = new QToolButton(this);
    button->setProperty("role", "segment");
    button->setProperty("place", i == 0 ? "first" : i + 1 == segments ? "last" : "middle");
    button->setCheckable(true);
    button->setFocusPolicy(Qt::StrongFocus);
    group->addButton(button, i);
    row->addWidget(button);
    m_buttons.append(button);
  }
  m_buttons.first()->setChecked(true);
  connect(group, &QButtonGroup::idToggled, this, [this](int segment, bool checked) {
    if (checked) Q_EMIT chosen(segment);
  });
}

void SegmentSwitch::setTexts(const QStringList& texts) {
  for (qsizetype i = 0; i < m_buttons.size(); ++i) {
    m_buttons[i]->setText(texts.value(i));
    m_buttons[i]->setAccessibleName(texts.value(i));
  }
}

int SegmentSwitch::current() const {
  for (int i = 0; i < static_cast<int>(m_buttons.size()); ++i)
    if (m_buttons[i]->isChecked()) return i;
  return 0;
}

void SegmentSwitch::setCurrent(int segment) {
  if (segment >= 0 && segment < static_cast<int>(m_buttons.size())) m_buttons[segment]->setChecked(true);
}

}  // namespace atelier::app
