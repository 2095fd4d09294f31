#include "preferences_effect.h"

#include <QApplication>

#include "app/models/learn_model.h"
#include "app/models/words.h"
#include "theme.h"
#include "view.h"

namespace atelier::app {

namespace {

constexpr int kCaretFlash = 1000;  // milliseconds, as most desktops have it

void setMotion(bool reduced) {
  for (const auto effect : {Qt::UI_AnimateMenu, Qt::UI_FadeMenu, Qt::UI_AnimateCombo, Qt::UI_AnimateTooltip, Qt::UI_FadeTooltip,
                            Qt::UI_AnimateToolBox})
    QApplication::setEffectEnabled(effect, !reduced);
  QApplication::setCursorFlashTime(reduced ? 0 : kCaretFlash);
}

}  // namespace

PreferencesEffect::PreferencesEffect(const Desktop& desktop, QObject* parent)
    : QObject(parent),
      m_desktop(desktop),
      m_preferences(desktop.settings),
      m_results(desktop.learn),
      m_firstLanguage(desktop.words.language()) {
  for (const char* key : {Preferences::kTheme, Preferences::kLanguage, Preferences::kTextSize, Preferences::kThreads,
                          Preferences::kBudget, Preferences::kResults})
    if (m_desktop.settings.value(QLatin1String(key)).isValid()) apply(QLatin1String(key));
  if (m_preferences.reducedMotion()) setMotion(true);
  if (m_desktop.learn.learner().isEmpty()) m_desktop.learn.setLearner(m_preferences.learner());
  connect(&m_desktop.settings, &Settings::changed, this, &PreferencesEffect::apply);
  connect(&m_desktop.learn, &LearnModel::learnerChanged, this, [this] { m_preferences.setLearner(m_desktop.learn.learner()); });
}

void PreferencesEffect::apply(const QString& key) {
  const auto is = [&key](const char* name) { return key == QLatin1String(name); };
  if (is(Preferences::kTheme)) {
    m_desktop.theme.setMode(Theme::modeOf(m_preferences.theme()).value_or(Theme::Mode::Light));
  } else if (is(Preferences::kTextSize)) {
    m_desktop.theme.setTextScale(m_preferences.textSize() / 100.0);
  } else if (is(Preferences::kLanguage)) {
    const auto chosen = m_preferences.language().toStdString();
    m_desktop.words.setLanguage(chosen.empty() ? m_firstLanguage : chosen);
  } else if (is(Preferences::kReducedMotion)) {
    setMotion(m_preferences.reducedMotion());
  } else if (is(Preferences::kThreads) || is(Preferences::kBudget)) {
    m_desktop.learn.setRunDefaults(m_preferences.runDefaults());
  } else if (is(Preferences::kLearner)) {
    m_desktop.learn.setLearner(m_preferences.learner());
  } else if (is(Preferences::kResults)) {
    m_results.setFolder(m_preferences.resultsFolder());
  }
}

}  // namespace atelier::app
