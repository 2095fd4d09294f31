#include "checklist_texts.h"

#include <cmath>
#include <cstdint>
#include <string_view>

#include "spec_edit.h"

namespace atelier::app {

namespace {

using Aim = lab::ChecklistItem::Aim;
using Kind = lab::ChecklistEvidence::Kind;

constexpr auto kAbsent = "—";

// A look is all that is asked of the profiler; what the others bring, only a race of its own tells.
bool isSettled(const lab::ChecklistEntry& entry) {
  return entry.best && (entry.best->kind == Kind::Raced || entry.item->aim == Aim::Look);
}

const char* stateId(const lab::ChecklistEntry& entry) {
  if (!entry.best) return "checklist.state.not_tried";
  switch (entry.best->kind) {
    case Kind::Raced:
      return "checklist.state.raced";
    case Kind::Together:
      return "checklist.state.together";
    case Kind::Apart:
      return "checklist.state.apart";
    case Kind::Used:
      break;
  }
  return entry.item->aim == Aim::Look ? "checklist.state.looked" : "checklist.state.used";
}

// A bar would end a cell; what a person named a run must not become markup.
std::string escaped(const QString& text) {
  std::string safe;
  for (const char c : text.toStdString()) {
    if (std::string_view("\\|<>*_`[]").find(c) != std::string_view::npos) safe += '\\';
    safe += c == '\n' || c == '\r' ? ' ' : c;
  }
  return safe;
}

std::string rowText(const QStringList& cells) {
  std::string text = "|";
  for (const auto& cell : cells) text += " " + escaped(cell) + " |";
  return text + "\n";
}

}  // namespace

QStringList ChecklistTexts::head() const {
  QStringList texts;
  for (const char* id : {"checklist.column.item", "checklist.column.state", "checklist.column.throughput",
                         "checklist.column.memory", "checklist.column.verdict"})
    texts << m_words.text(id);
  return texts;
}

std::vector<TextTable::Row> ChecklistTexts::rows() const {
  std::vector<TextTable::Row> rows;
  for (const auto& entry : m_book.list().entries) {
    const auto none = QString::fromUtf8(kAbsent);
    const auto number = m_words.format().integer(static_cast<std::int64_t>(rows.size()) + 1);
    TextTable::Row row{{QString::fromStdString(number) + QStringLiteral("  ") + title(entry), state(entry)},
                       TextTable::RowKind::Text};
    if (entry.best) row.cells << ratio(*entry.best) << times(entry.best->memory) << verdict(*entry.best);
    else row.cells << none << none << none;
    rows.push_back(std::move(row));
  }
  return rows;
}

QString ChecklistTexts::state(const lab::ChecklistEntry& entry) const {
  const auto sign = isSettled(entry) ? QStringLiteral("✓ ") : entry.best ? QStringLiteral("~ ") : QStringLiteral("○ ");
  return sign + m_words.text(stateId(entry));
}

const char* ChecklistTexts::tone(const lab::ChecklistEntry& entry) {
  if (isSettled(entry)) return "good";
  return entry.best ? "warn" : "soft";
}

QString ChecklistTexts::change(const lab::ChecklistEvidence& evidence) const {
  auto known = nlohmann::json::object();
  if (evidence.change.is_object())
    for (const auto& [key, value] : evidence.change.items())
      if (!value.is_null()) known[key] = value;
  return QString::fromStdString(specWords(m_schema, known));
}

QString ChecklistTexts::times(std::optional<double> ratio) const {
  return ratio && std::isfinite(*ratio) ? QString::fromStdString(m_words.format().ratio(*ratio)) : QString::fromUtf8(kAbsent);
}

QString ChecklistTexts::ratio(const lab::ChecklistEvidence& evidence) const {
  if (!evidence.ratio) return QString::fromUtf8(kAbsent);
  return times(evidence.ratio->median) + QLatin1Char(' ') + QString::fromStdString(m_words.format().interval(*evidence.ratio));
}

QString ChecklistTexts::verdict(const lab::ChecklistEvidence& evidence) const {
  if (evidence.verdict.empty()) return QString::fromUtf8(kAbsent);
  const auto id = "racepage.verdict." + evidence.verdict;
  return m_words.catalog().has(id) ? m_words.text(id) : QString::fromStdString(evidence.verdict);
}

wire::Message ChecklistTexts::measured(const char* id, const lab::ChecklistEvidence& evidence) const {
  return {id,
          {{"change", change(evidence).toStdString()},
           {"ratio", ratio(evidence).toStdString()},
           {"verdict", verdict(evidence).toStdString()},
           {"with", m_book.nameOf(evidence.with)},
           {"without", m_book.nameOf(evidence.without)}}};
}

QString ChecklistTexts::evidence(const lab::ChecklistEntry& entry) const {
  const auto& format = m_words.format();
  if (!entry.best) return m_words.text("checklist.evidence.none");
  const auto& best = *entry.best;
  QStringList lines;
  if (best.kind == Kind::Raced) lines << m_words.text(measured("checklist.evidence.raced", best));
  else if (best.kind == Kind::Together) lines << m_words.text(measured("checklist.evidence.together", best));
  else if (best.kind == Kind::Apart) lines << m_words.text(measured("checklist.evidence.apart", best));
  else if (entry.item->aim == Aim::Look)
    lines << m_words.text(
        wire::Message{"checklist.evidence.looked", {{"count", format.integer(entry.runs)}, {"run", m_book.nameOf(best.with)}}});
  else lines << m_words.text(measured("checklist.evidence.used", best));
  if (best.memory && best.activations)
    lines << m_words.text(
        wire::Message{"checklist.evidence.memory_parts",
                      {{"memory", times(best.memory).toStdString()}, {"activations", times(best.activations).toStdString()}}});
  else if (best.memory)
    lines << m_words.text(wire::Message{"checklist.evidence.memory", {{"memory", times(best.memory).toStdString()}}});
  if (entry.item->aim == Aim::Batch && best.effective_batch > 0)
    lines << m_words.text(wire::Message{"checklist.evidence.batch", {{"batch", format.integer(best.effective_batch)}}});
  if (best.same_quality)
    lines << m_words.text(*best.same_quality ? "checklist.evidence.same_quality" : "checklist.evidence.other_quality");
  if (entry.races > 1)
    lines << m_words.text(wire::Message{"checklist.evidence.races", {{"count", format.integer(entry.races)}}});
  return lines.join(QLatin1Char('\n'));
}

QString ChecklistTexts::next(const lab::ChecklistEntry& entry) const {
  if (!entry.best) return m_words.text(entry.item->next);
  if (entry.item->aim == Aim::Look) return m_words.text("checklist.then.looked");
  if (!isSettled(entry)) return m_words.text("checklist.then.race");
  const auto& verdict = entry.best->verdict;
  if (verdict == "machine-busy") return m_words.text("checklist.then.busy");
  // Samples a second are not what these two are for.
  if (entry.item->aim == Aim::Memory) return m_words.text("checklist.then.memory");
  if (entry.item->aim == Aim::Batch) return m_words.text("checklist.then.batch");
  if (verdict == "faster") return m_words.text("checklist.then.faster");
  return m_words.text(verdict == "slower" ? "checklist.then.slower" : "checklist.then.no_difference");
}

QString ChecklistTexts::offer(const lab::ChecklistEntry& entry) const {
  const auto change = specWords(m_schema, entry.offer);
  if (entry.base.empty()) return m_words.text(wire::Message{"checklist.offer.defaults", {{"change", change}}});
  return m_words.text(wire::Message{"checklist.offer", {{"change", change}, {"run", m_book.nameOf(entry.base)}}});
}

QString ChecklistTexts::summary() const {
  const auto& list = m_book.list();
  const auto& format = m_words.format();
  auto text = m_words.text(wire::Message{
      "checklist.summary",
      {{"tried", format.integer(list.tried())}, {"all", format.integer(static_cast<std::int64_t>(list.entries.size()))}}});
  if (const auto product = list.product())
    text += QLatin1Char(' ') + m_words.text(wire::Message{"checklist.product", {{"ratio", format.ratio(*product)}}});
  return text;
}

std::string ChecklistTexts::markdown() const {
  auto text = "# " + m_words.text("checklist.title").toStdString() + "\n\n" + escaped(summary()) + "\n\n" + rowText(head()) +
              "| --- | --- | ---: | ---: | --- |\n";
  for (const auto& row : rows()) text += rowText(row.cells);
  for (const auto& entry : m_book.list().entries) {
    text += "\n## " + escaped(title(entry)) + "\n\n";
    for (const auto& line : evidence(entry).split(QLatin1Char('\n'))) text += "- " + escaped(line) + "\n";
    text += "- " + escaped(next(entry)) + "\n";
  }
  return text;
}

}  // namespace atelier::app
