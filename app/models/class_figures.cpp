#include "class_figures.h"

#include <algorithm>
#include <set>

#include "class_book.h"
#include "labs/check.h"
#include "learn_texts.h"
#include "words.h"

namespace atelier::app {

namespace {

constexpr double kNear = 0.02;  // of the range: dots nearer than this would cover one another

QString qt(const std::string& text) {
  return QString::fromStdString(text);
}

bool isRatio(const std::string& quantity) {
  return quantity == "ratio" || quantity.ends_with(".ratio");
}

}  // namespace

QVector<double> spreadDots(const QVector<double>& x, double near) {
  const auto heightOf = [](int level) { return level % 2 == 1 ? (level + 1) / 2 : -level / 2; };
  QVector<double> heights;
  for (qsizetype i = 0; i < x.size(); ++i) {
    std::set<double> taken;
    for (qsizetype j = i; j-- > 0 && x[i] - x[j] <= near;) taken.insert(heights[j]);
    int level = 0;
    while (taken.contains(heightOf(level))) ++level;
    heights.append(heightOf(level));
  }
  return heights;
}

QString ClassFigures::stepTitle(const lab::LabRollUp& lab, const std::string& step) {
  for (const auto& known : lab.steps)
    if (known.id == step && !known.title.empty()) return qt(known.title);
  return qt(step);
}

QString ClassFigures::figure(double value, const std::string& unit) const {
  return LearnTexts(m_words.catalog(), m_words.format()).figure(value, unit);
}

DotFigure ClassFigures::gains(const lab::MeasuredRollUp& measured, const lab::LabRollUp& lab) const {
  const std::string unit = isRatio(measured.quantity) ? "ratio" : "samples_per_second";
  const auto& all = measured.distribution;
  DotFigure figure;
  figure.title = stepTitle(lab, measured.step);
  figure.xTitle = m_words.text(unit == "ratio" ? "classview.gain" : "classview.rate");
  if (unit == "ratio") figure.reference = 1.0;
  QVector<double> places;
  for (const auto& point : measured.points) places.append(point.value.median);
  const double range = places.isEmpty() ? 0 : places.last() - places.first();
  const auto heights = spreadDots(places, kNear * range);
  for (std::size_t i = 0; i < measured.points.size(); ++i) {
    const auto& point = measured.points[i];
    const auto at = static_cast<qsizetype>(i);
    const bool decided = point.verdict != "machine-busy";
    const auto label = m_words.text(wire::Message{decided ? "classview.dot" : "classview.dot_undecided",
                                                  {{"learner", m_book.nameOf(point.learner).toStdString()},
                                                   {"cpu", point.cpu.empty() ? "—" : point.cpu},
                                                   {"cores", m_words.format().integer(point.cores)},
                                                   {"figure", this->figure(point.value.median, unit).toStdString()},
                                                   {"interval", m_words.format().interval(point.value)}}});
    figure.dots.append({places[at], heights[at], label, decided});
  }
  if (all.count == 0) {
    figure.summary = m_words.text("classview.no_gain");
    return figure;
  }
  figure.box = DotFigure::Box{all.low, all.median, all.high};
  figure.summary = m_words.text(wire::Message{"classview.quartiles",
                                              {{"median", this->figure(all.median, unit).toStdString()},
                                               {"low", this->figure(all.low, unit).toStdString()},
                                               {"high", this->figure(all.high, unit).toStdString()},
                                               {"count", m_words.format().integer(all.count)},
                                               {"undecided", m_words.format().integer(measured.undecided)}}});
  return figure;
}

DotFigure ClassFigures::predictions(const lab::PredictionRollUp& predictions, const lab::LabRollUp& lab) const {
  const double factor = LearnTexts::unitFactor(predictions.unit, predictions.quantity);
  // A unit that no lab has made up comes from outside.
  const bool known = m_words.catalog().has("app.unit." + predictions.unit);
  const auto unit = known ? LearnTexts(m_words.catalog(), m_words.format()).unitName(predictions.unit) : qt(predictions.unit);
  const auto withUnit = [&](const char* id) { return m_words.text(id) + QStringLiteral(" (") + unit + QLatin1Char(')'); };
  DotFigure figure;
  figure.scatter = true;
  figure.title = stepTitle(lab, predictions.step);
  figure.xTitle = withUnit("classview.predicted");
  figure.yTitle = withUnit("classview.measured");
  for (const auto& point : predictions.points) {
    const auto label = m_words.text(wire::Message{"classview.prediction",
                                                  {{"learner", m_book.nameOf(point.learner).toStdString()},
                                                   {"predicted", m_words.format().number(point.predicted / factor)},
                                                   {"measured", m_words.format().number(point.measured / factor)},
                                                   {"unit", unit.toStdString()}}});
    figure.dots.append({point.predicted / factor, point.measured / factor, label, true});
  }
  const auto& ratio = predictions.ratio;
  figure.summary = m_words.text(wire::Message{ratio.count > 0 ? "classview.judged" : "classview.not_judged",
                                              {{"median", ratio.count > 0 ? m_words.format().ratio(ratio.median) : "—"},
                                               {"low", ratio.count > 0 ? m_words.format().ratio(ratio.low) : "—"},
                                               {"high", ratio.count > 0 ? m_words.format().ratio(ratio.high) : "—"},
                                               {"predicted", m_words.format().integer(predictions.predicted)},
                                               {"learners", m_words.format().integer(predictions.learners)}}});
  return figure;
}

QVector<Share> ClassFigures::checks(const lab::LabRollUp& lab) const {
  QVector<Share> shares;
  for (const auto& check : lab.checks) {
    const auto id = "check." + check.kind + ".name";
    const auto name = m_words.catalog().has(id) ? m_words.text(id) : qt(check.check);
    const auto share = check.sharePassed();
    const auto text = m_words.text(wire::Message{share ? "classview.passed" : "classview.not_judged_yet",
                                                 {{"passed", m_words.format().integer(check.passed)},
                                                  {"judged", m_words.format().integer(check.judged())},
                                                  {"noise", m_words.format().integer(check.noise)}}});
    shares.append({stepTitle(lab, check.step) + QStringLiteral(" · ") + name, text, share.value_or(0)});
  }
  return shares;
}

QStringList ClassFigures::stuck(const lab::LabRollUp& lab) const {
  QStringList lines;
  const auto& all = m_book.content();
  for (std::size_t i = 0; i < all.learners.size(); ++i) {
    const auto* result = all.learners[i].find(lab.lab);
    if (!result || !result->stuck || !result->at()) continue;
    const double idle = static_cast<double>(std::max<std::int64_t>(0, all.latest_ms - all.learners[i].last_activity_ms)) / 1000;
    lines << m_words.text(wire::Message{"classview.stuck_at",
                                        {{"learner", m_book.nameOf(i).toStdString()},
                                         {"step", stepTitle(lab, result->at()->id).toStdString()},
                                         {"time", m_words.format().duration(idle)},
                                         {"hints", m_words.format().integer(result->at()->hints_shown)}}});
  }
  return lines;
}

QString ClassFigures::summary(const lab::LabRollUp& lab) const {
  return m_words.text(wire::Message{"class.lab",
                                    {{"learners", m_words.format().integer(lab.learners)},
                                     {"finished", m_words.format().integer(lab.finished)},
                                     {"stuck", m_words.format().integer(lab.stuck)}}});
}

}  // namespace atelier::app
