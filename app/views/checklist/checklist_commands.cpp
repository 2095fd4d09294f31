// What the check-list does about an item: races and forks, the way to the lab, to the profiler and to what was measured; and
// how the list leaves the window.
#include <QClipboard>
#include <QDir>
#include <QGuiApplication>

#include "app/models/learn_model.h"
#include "app/models/preferences.h"
#include "app/models/words.h"
#include "app/views/experiments/fork_dialog.h"
#include "app/views/experiments/notice_bar.h"
#include "app/views/experiments/spec_form.h"
#include "checklist_view.h"
#include "core/registry/registry.h"

namespace atelier::app {

using Aim = lab::ChecklistItem::Aim;

// An engine that does not know the keys of an item can't try it.
bool ChecklistView::canOffer(const lab::ChecklistEntry& entry) const {
  const auto& schema = m_desktop.learn.schema();
  if (!entry.offer.is_object() || entry.offer.empty()) return false;
  for (const auto& [key, value] : entry.offer.items()) {
    const auto* option = schema.find(key);
    if (!option || !wire::readValue(*option, value).ok()) return false;
  }
  return true;
}

ChecklistPanel::Means ChecklistView::means(const lab::ChecklistEntry& entry) const {
  const bool offered = canOffer(entry), look = entry.item->aim == Aim::Look;
  ChecklistPanel::Means means;
  means.profile = look && showElsewhere;
  means.race = offered && !look;
  means.fork = offered;
  means.lab = showElsewhere && m_desktop.learn.course().find(entry.item->lab) != nullptr;
  means.evidence = entry.best && showElsewhere;
  means.busy = !m_race.job().idle();
  return means;
}

nlohmann::json ChecklistView::baseSpec(const lab::ChecklistEntry& entry) const {
  auto spec = entry.base.empty() ? Preferences(m_desktop.settings).runDefaults() : m_book.specOf(entry.base);
  if (!spec.is_object()) spec = nlohmann::json::object();
  return spec;
}

void ChecklistView::startRace() {
  const auto* entry = current();
  if (!entry || !means(*entry).race || !m_race.job().idle()) return;
  auto with = baseSpec(*entry);
  m_race.setSchema(m_desktop.learn.schema());
  auto without = with;
  with.update(entry->offer);
  m_race.setSpecs({std::move(without), std::move(with)});
  if (!m_race.canRun()) {
    m_notice->say(m_race.mistakes());
    return;
  }
  const auto title = texts().title(*entry).toStdString();
  m_notice->dismiss();
  m_race.run(m_desktop.words.text(wire::Message{"checklist.job", {{"item", title}}}));
}

// Not exec(): a run that goes, and everything else, stays within reach.
void ChecklistView::fork() {
  const auto* entry = current();
  if (!entry || !means(*entry).fork) return;
  auto spec = baseSpec(*entry);
  const auto from = entry->base.empty() ? QString() : QString::fromStdString(m_book.nameOf(entry->base));
  auto* dialog = new ForkDialog(m_desktop, spec, from, this);
  spec.update(entry->offer);
  dialog->form().setSpec(spec);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->open();
}

void ChecklistView::openLab() {
  const auto* entry = current();
  if (!entry || !means(*entry).lab) return;
  const auto wanted = m_desktop.learn.course().find(entry->item->lab)->id;
  const auto* session = m_desktop.learn.session();
  const bool there = session && session->lab().id == wanted;
  if (!there && !m_desktop.learn.open(wanted)) {
    m_notice->say({wire::Message{"checklist.lab_waits"}});
    return;
  }
  showElsewhere("learn", QString());
}

void ChecklistView::showEvidence() {
  const auto* entry = current();
  if (!entry || !means(*entry).evidence) return;
  const auto& best = *entry->best;
  showElsewhere("experiments", QString::fromStdString(best.race.empty() ? best.with : best.race));
}

void ChecklistView::openProfiler() {
  const auto* entry = current();
  if (entry && means(*entry).profile) showElsewhere("profile", QString());
}

void ChecklistView::askAndExport(Form form) {
  const auto proposal = QStringLiteral("atelier-checklist") + QLatin1String(form == Form::Csv ? ".csv" : ".md");
  const auto file = m_askFile(m_desktop.words.text("checklist.button.export"), proposal);
  if (!file.isEmpty()) exportTo(file, form);
}

bool ChecklistView::exportTo(const QString& file, Form form) {
  const auto text = form == Form::Csv ? lab::toCsv(m_book.list()) : texts().markdown();
  const auto written = registry::writeWhole(file.toStdString(), text);
  const auto shown = QDir::toNativeSeparators(file).toStdString();
  m_notice->say({{written ? "checklist.exported" : "app.plot.save_failed", {{"file", shown}}}});
  return written.ok();
}

void ChecklistView::copyImage() {
  QGuiApplication::clipboard()->setPixmap(m_body->grab());
  m_notice->say({wire::Message{"checklist.copied"}});
}

}  // namespace atelier::app
