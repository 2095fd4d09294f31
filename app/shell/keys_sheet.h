// KeysSheet: all keys that do something now, with what they do: made from the actions, so that it can't say anything else.
// GUI thread.
#pragma once

#include <QList>
#include <QWidget>

class QAction;
class QGridLayout;
class QVBoxLayout;

namespace atelier::app {

class Words;

class KeysSheet : public QWidget {
  Q_OBJECT
 public:
  explicit KeysSheet(const Words& words, QWidget* parent = nullptr);

  // Those without a key are left out.
  void setActions(const QList<QAction*>& actions);

 private:
  void addGroup(const QString& title, const QList<QAction*>& actions);
  QString groupOf(const QAction& action) const;

  const Words& m_words;
  QVBoxLayout* m_column = nullptr;
  QGridLayout* m_grid = nullptr;  // of the sheet shown
};

}  // namespace atelier::app
