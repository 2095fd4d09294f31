// Help: what helps without a network, in one window: the keys, how a figure is made, how a course is written, versions and
// licences. It does not block anything and stays open beside the work. GUI thread.
#pragma once

#include <QDialog>
#include <QVector>

class QPushButton;
class QStackedWidget;
class QToolButton;

namespace atelier::app {

class KeysSheet;
class MarkdownView;
struct Desktop;

class Help : public QDialog {
  Q_OBJECT
 public:
  enum Page { Keys, Figures, Authors, About, PageCount };

  // `window`: whose actions are listed.
  Help(const Desktop& desktop, QWidget* window);

  void showPage(Page page);
  Page page() const;
  QString supportText() const;

 Q_SIGNALS:
  void tourAsked();

 private:
  void addPage(QWidget* content);
  void retext();
  void restyle();
  void fill(Page page);  // its text, when it is first seen in a language
  QString about() const;

  const Desktop& m_desktop;
  QWidget* m_window = nullptr;
  QVector<QToolButton*> m_tabs;
  QStackedWidget* m_pages = nullptr;
  KeysSheet* m_keys = nullptr;
  QVector<MarkdownView*> m_texts;  // of the pages after the keys
  QPushButton *m_tour = nullptr, *m_copy = nullptr, *m_close = nullptr;
};

}  // namespace atelier::app
