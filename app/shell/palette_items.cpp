#include "palette_items.h"

#include <QAction>
#include <QDateTime>
#include <QLocale>
#include <QPointer>

#include <algorithm>
#include <utility>

#include "actions.h"
#include "app/models/learn_model.h"
#include "app/models/words.h"
#include "layout_keeper.h"

namespace atelier::app {

namespace {

QString qt(const std::string& text) {
  return QString::fromStdString(text);
}

std::string keyText(const nlohmann::json& spec, const char* key) {
  if (!spec.is_object()) return {};
  const auto found = spec.find(key);
  return found != spec.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Opens the lab unless it is open, and goes to the step; -1: where the learner left it. Before an audience, in a session that
// leaves no trace.
void goTo(LearnModel& learn, const std::string& lab, int step) {
  if (learn.jump(lab, std::max(0, step))) return;
  const auto* session = learn.session();
  if ((!session || session->lab().id != lab) && !learn.open(lab)) return;
  if (step >= 0) learn.goTo(step);
}

class LabItems {
 public:
  LabItems(const Desktop& desktop, std::function<void()> show) : m_desktop(desktop), m_show(std::move(show)) {}

  QVector<PaletteItem> all() {
    const auto& course = m_desktop.learn.course();
    for (const auto& id : LayoutKeeper::recentLabs(m_desktop.settings))
      if (const auto* lab = course.find(id.toStdString())) add(*lab, m_desktop.words.text("palette.recent_lab"));
    for (const auto& half : course.half_days)
      for (const auto& lab : half.labs) add(lab, qt(half.title));
    for (const auto& half : course.half_days)
      for (const auto& lab : half.labs) addSteps(lab);
    return std::move(m_items);
  }

 private:
  void add(const lab::Lab& lab, const QString& detail) {
    const auto id = QStringLiteral("lab:") + qt(lab.id);
    const bool there = std::any_of(m_items.begin(), m_items.end(), [&](const PaletteItem& item) { return item.id == id; });
    if (!there) m_items.append({id, qt(lab.number + "  " + lab.title), detail, QString(), jump(lab.id, -1)});
  }

  void addSteps(const lab::Lab& lab) {
    const auto& format = m_desktop.words.format();
    for (std::size_t i = 0; i < lab.steps.size(); ++i) {
      const auto& step = lab.steps[i];
      const auto detail =
          m_desktop.words.text(wire::Message{"palette.step",
                                             {{"lab", lab.number + " " + lab.title},
                                              {"step", format.integer(static_cast<std::int64_t>(i) + 1)},
                                              {"steps", format.integer(static_cast<std::int64_t>(lab.steps.size()))}}});
      m_items.append({QStringLiteral("step:") + qt(lab.id + "/" + step.id), qt(step.title), detail, QString(),
                      jump(lab.id, static_cast<int>(i))});
    }
  }

  std::function<void()> jump(const std::string& lab, int step) const {
    return [learn = QPointer<LearnModel>(&m_desktop.learn), show = m_show, lab, step] {
      if (!learn) return;
      goTo(*learn, lab, step);
      show();
    };
  }

  const Desktop& m_desktop;
  std::function<void()> m_show;
  QVector<PaletteItem> m_items;
};

}  // namespace

QVector<PaletteItem> actionItems(const QWidget& window, const Words& words, const QString& except) {
  QVector<PaletteItem> items;
  for (auto* action : actionsOf(window)) {
    if (action->objectName() == except) continue;
    items.append({QStringLiteral("action:") + action->objectName(), action->text(), words.text("palette.command"),
                  action->shortcut().toString(QKeySequence::NativeText), [action = QPointer<QAction>(action)] {
                    if (action) action->trigger();
                  }});
  }
  return items;
}

QVector<PaletteItem> labItems(const Desktop& desktop, const std::function<void()>& show) {
  return LabItems(desktop, show).all();
}

QString runTitle(const registry::RunRecord& run) {
  if (!run.labels.name.empty()) return qt(run.labels.name);
  const auto model = keyText(run.spec, "model"), data = keyText(run.spec, "data");
  if (model.empty()) return qt(run.id);
  return qt(data.empty() ? model : model + " · " + data);
}

QVector<PaletteItem> runItems(const std::vector<registry::RunRecord>& runs, const Words& words,
                              const std::function<void(const QString&)>& show) {
  const QLocale locale(qt(words.language()));
  QVector<PaletteItem> items;
  for (const auto& run : runs) {
    const auto id = qt(run.id);
    const auto time = locale.toString(QDateTime::fromMSecsSinceEpoch(run.created_ms), QLocale::ShortFormat);
    const auto detail = words.text(wire::Message{"palette.run", {{"time", time.toStdString()}, {"id", run.id}}});
    items.append({QStringLiteral("run:") + id, runTitle(run), detail, QString(), [show, id] { show(id); }});
  }
  return items;
}

}  // namespace atelier::app
