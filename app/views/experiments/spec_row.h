// SpecRow: one key of a spec in a form: its name, an editor after its type, what it was, a button that sets it back, and below
// them what is wrong with it. It shows; SpecEdit decides. Values go in and out as the command line writes them; on the screen a
// number has the reader's decimal mark. GUI thread.
#pragma once

#include <QWidget>

#include "app/models/words.h"
#include "core/wire/option.h"

class QLabel;
class QToolButton;

namespace atelier::app {

class Theme;

class SpecRow : public QWidget {
  Q_OBJECT
 public:
  struct Shown {
    std::string typed;
    QString note;     // "instead of 128"; "" where nothing was changed
    QString mistake;  // "" where there is none
  };

  SpecRow(const Theme& theme, const Words& words, wire::Option option, QWidget* parent = nullptr);

  const wire::Option& option() const { return m_option; }
  void fill(const Shown& shown);
  // Whether all of the words stand in its key, name or help.
  bool matches(const QString& words) const;
  QWidget* editor() const { return m_editor; }

 Q_SIGNALS:
  void typed(const QString& text);
  void settled();  // the field was left
  void resetAsked();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* makeEditor();
  QString text(const char* part) const;
  QString local(const std::string& plain) const;
  QString plain(const QString& local) const;
  bool decimalComma() const;

  const Words& m_words;
  wire::Option m_option;
  QLabel *m_caption = nullptr, *m_note = nullptr, *m_mistake = nullptr;
  QToolButton* m_reset = nullptr;
  QWidget* m_editor = nullptr;
};

}  // namespace atelier::app
