// PreferencesEffect: what a person prefers, in effect at once: theme, text size, language, motion, the defaults of runs, the
// learner's name, where results go. Texts about the learner go the other way too: a name typed for a report is kept.
// GUI thread.
#pragma once

#include <QObject>

#include <string>

#include "app/models/preferences.h"
#include "app/models/result_keeper.h"

namespace atelier::app {

struct Desktop;

class PreferencesEffect : public QObject {
  Q_OBJECT
 public:
  PreferencesEffect(const Desktop& desktop, QObject* parent = nullptr);

  const ResultKeeper& results() const { return m_results; }

 private:
  void apply(const QString& key);

  const Desktop& m_desktop;
  Preferences m_preferences;
  ResultKeeper m_results;
  std::string m_firstLanguage;  // what the program was started in, for who has no preference
};

}  // namespace atelier::app
