#include "race_texts.h"

namespace atelier::app {

namespace {

std::string upper(const std::string& variant) {
  return RaceTexts::name(variant).toStdString();
}

}  // namespace

QString RaceTexts::name(const std::string& variant) {
  return QString::fromStdString(variant).toUpper();
}

QString RaceTexts::soFar(const wire::RaceUpdated& updated) const {
  const auto& format = m_words.format();
  if (updated.ratio.count == 0 || updated.pairs == 0)
    return m_words.text(wire::Message{"racepage.none_yet",
                                      {{"variant", upper(updated.variant)},
                                       {"discarded", format.integer(updated.discarded_pairs)},
                                       {"planned", format.integer(updated.planned_pairs)}}});
  const auto verdict = m_words.catalog().text("racepage.verdict." + updated.verdict);
  return m_words.text(wire::Message{updated.decided ? "racepage.so_far.decided" : "racepage.so_far",
                                    {{"variant", upper(updated.variant)},
                                     {"ratio", format.ratio(updated.ratio.median)},
                                     {"interval", format.interval(updated.ratio)},
                                     {"pairs", format.integer(updated.pairs)},
                                     {"planned", format.integer(updated.planned_pairs)},
                                     {"verdict", verdict}}});
}

QString RaceTexts::atEnd(const wire::Comparison& comparison, const wire::RaceSummary& race) const {
  const auto& format = m_words.format();
  const auto quality = m_words.text(wire::Message{comparison.same_quality ? "racepage.same_quality" : "racepage.other_quality",
                                                  {{"variant", upper(comparison.variant)}}});
  if (!comparison.ratio) return m_words.text(wire::Message{"racepage.no_ratio", {{"variant", upper(comparison.variant)}}});
  const auto sentence =
      m_words.text(wire::Message{"racepage.result",
                                 {{"variant", upper(comparison.variant)},
                                  {"ratio", format.ratio(comparison.ratio->median)},
                                  {"interval", format.interval(*comparison.ratio)},
                                  {"pairs", format.integer(comparison.pairs)},
                                  {"discarded", format.integer(comparison.discarded_pairs)},
                                  {"verdict", m_words.catalog().text("racepage.verdict." + comparison.verdict)}}});
  const bool told = race.a.accuracy || race.a.loss;
  return told ? sentence + QLatin1Char(' ') + quality : sentence;
}

QStringList RaceTexts::busy(const std::map<std::string, int>& reasons) const {
  QStringList lines;
  for (const auto& [reason, blocks] : reasons) {
    const auto what = m_words.catalog().text(reason);
    auto line =
        m_words.text(wire::Message{"racepage.busy_blocks", {{"reason", what}, {"blocks", m_words.format().integer(blocks)}}});
    const auto remedy = "racepage.remedy." + reason;
    if (m_words.catalog().has(remedy)) line += QLatin1Char(' ') + m_words.text(remedy);
    lines << line;
  }
  return lines;
}

const char* RaceTexts::tone(const std::string& verdict) {
  if (verdict == "faster") return "good";
  if (verdict == "slower") return "bad";
  return verdict == "machine-busy" ? "warn" : "h2";
}

}  // namespace atelier::app
