// ClassBook: the results that a class has left in one folder, for the Class view. It reads them on a thread of its own, again
// when asked to and every half minute while they are on the screen, never beside a measurement; what was read stays until the
// new is there. Names can be hidden, for a projector: then nothing that is shown or exported tells whose results they are. GUI
// thread.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>

#include <string>

#include "labs/class/class.h"

namespace atelier::app {

class RunDesk;
class Settings;
class Words;

class ClassBook : public QObject {
  Q_OBJECT
 public:
  static constexpr int kPeriod = 30'000;  // milliseconds

  ClassBook(Settings& settings, const RunDesk& desk, const Words& words, QObject* parent = nullptr);

  // Remembered. "" closes the book.
  void setFolder(const QString& folder);
  const QString& folder() const { return m_folder; }
  void refresh();
  void setWatched(bool watched);  // on the screen
  bool reading() const { return m_reading; }
  bool loaded() const { return m_loaded; }  // content() is of folder()

  const lab::Class& content() const { return m_content; }
  const lab::LabRollUp* find(const std::string& lab) const;

  void setNamesHidden(bool hidden);
  bool namesHidden() const { return m_hidden; }
  // REQUIRES: an index of content().learners.
  QString nameOf(std::size_t learner) const;
  // What may leave the window: content(), and with hidden names without names and folders.
  lab::Class shareable() const;

 Q_SIGNALS:
  void changed();  // content, names, or whether it is being read

 private:
  void take(lab::Class content, const QString& folder);

  Settings& m_settings;
  const RunDesk& m_desk;
  const Words& m_words;
  QTimer m_timer;
  QString m_folder;
  lab::Class m_content;
  bool m_reading = false, m_again = false, m_loaded = false, m_hidden = false;
};

}  // namespace atelier::app
