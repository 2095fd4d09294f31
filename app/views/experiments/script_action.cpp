#include "script_action.h"

#include <vector>

#include "app/models/learn_model.h"
#include "app/models/words.h"
#include "app/shell/actions.h"
#include "script_dialog.h"

namespace atelier::app {

namespace {

// What the step would run with its knobs as they stand.
std::vector<nlohmann::json> stepSpecs(const LearnModel& model) {
  const auto* session = model.session();
  if (!session || !session->step().experiment) return {};
  const auto request = session->request(session->step().id);
  std::vector<nlohmann::json> specs;
  specs.push_back(request.spec);
  if (request.verb != "race") return specs;
  auto other = request.spec;
  if (request.b.is_object()) other.update(request.b);
  specs.push_back(std::move(other));
  return specs;
}

}  // namespace

QAction* makeScriptAction(const Desktop& desktop, QWidget* owner) {
  return makeAction(owner, desktop.words, "learn.script", {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_T)},
                    [&desktop, owner] { ScriptDialog::showVariants(desktop, stepSpecs(desktop.learn), owner); });
}

}  // namespace atelier::app
