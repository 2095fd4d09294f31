// Preferences: what a person chose once for all, typed and checked, over Settings. A value that nobody would have chosen (a
// file edited by hand) reads as the default. Setting one takes effect at once for whoever listens to Settings::changed.
// GUI thread.
#pragma once

#include <QString>

#include <nlohmann/json.hpp>

#include "settings.h"

namespace atelier::app {

class Preferences {
 public:
  static constexpr auto kTheme = "window/theme", kLanguage = "window/language", kTextSize = "window/text_size",
                        kReducedMotion = "window/reduced_motion", kThreads = "run/threads", kBudget = "run/memory_budget",
                        kLearner = "learner/name", kResults = "class/results_folder";
  static constexpr int kLeastText = 90, kLargestText = 150, kTextStep = 10, kMostThreads = 256;

  explicit Preferences(Settings& settings) : m_settings(settings) {}

  QString theme() const;     // "light", "dark", "contrast", or "" when never chosen
  QString language() const;  // "en", "fr", or ""
  int textSize() const;      // per cent
  bool reducedMotion() const;
  int threads() const;           // of runs; 0: as many as there are cores
  QString memoryBudget() const;  // of runs: "512MiB", or "" for none
  QString learner() const;
  QString resultsFolder() const;  // where each finished step's results go, or ""

  void setTheme(const QString& name);
  void setLanguage(const QString& language);
  void setTextSize(int percent);
  void setReducedMotion(bool reduced);
  void setThreads(int threads);
  // False, and nothing changed, for what is no size ("512 MiB", "2GB").
  bool setMemoryBudget(const QString& text);
  void setLearner(const QString& name);
  void setResultsFolder(const QString& folder);

  // Spec keys for a run that says nothing about them itself.
  nlohmann::json runDefaults() const;
  // All of the above as at the first start.
  void reset();

 private:
  QVariant value(const char* key, const QVariant& fallback = {}) const;
  void set(const char* key, const QVariant& value);

  Settings& m_settings;
};

}  // namespace atelier::app
