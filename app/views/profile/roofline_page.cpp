#include "roofline_page.h"

#include <QLabel>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "app/models/trace_texts.h"
#include "app/models/words.h"
#include "app/plots/figure_plot.h"
#include "app/plots/profile_figures.h"
#include "app/shell/theme.h"
#include "app/views/learn/empty_state.h"
#include "app/views/learn/parts.h"

namespace atelier::app {

namespace {

constexpr double kGiga = 1e9;

}  // namespace

RooflinePage::RooflinePage(const Desktop& desktop, TraceSelection& selection, QWidget* parent)
    : ProfilePage(desktop, selection, parent) {
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(m_pages = new QStackedWidget(this));
  m_pages->addWidget(m_empty = new EmptyState(desktop.theme, m_pages));
  m_pages->addWidget(m_full = makePanel("panel", m_pages));
  auto* column = new QVBoxLayout(m_full);
  column->setContentsMargins(12, 12, 12, 12);
  column->setSpacing(6);
  column->addWidget(m_plot = new FigurePlot(desktop.theme, desktop.words, m_full), 1);
  column->addWidget(m_peaks = makeLabel("", m_full));
  column->addWidget(m_help = makeLabel("soft", m_full));
  connect(m_plot, &FigurePlot::chosen, this, [this](int point) {
    const auto& points = content()->report.roofline;
    if (point >= 0 && static_cast<std::size_t>(point) < points.size())
      m_selection.selectName(points[static_cast<std::size_t>(point)].name);
  });
  connect(m_plot, &FigurePlot::saveFailed, this, [this](const QString& file) {
    Q_EMIT said({{"app.plot.save_failed", {{"file", file.toStdString()}}}});
  });
  connect(&selection, &TraceSelection::changed, this, &RooflinePage::chooseSelected);
}

bool RooflinePage::isEmpty() const {
  return m_pages->currentWidget() == m_empty;
}

QString RooflinePage::note() const {
  return m_peaks->text();
}

// Without peaks there is no roof, and without work no point: each is said, with what to do.
void RooflinePage::fill() {
  const auto& words = m_desktop.words;
  const bool peaks = content() && hasPeaks(*content());
  const bool points = content() && !content()->report.roofline.empty();
  m_empty->setTexts(words.text(peaks ? "profileview.roofline.no_work" : "profileview.roofline.no_peaks"),
                    words.text(peaks ? "profileview.roofline.no_work.help" : "profileview.roofline.no_peaks.help"));
  m_pages->setCurrentWidget(peaks && points ? m_full : static_cast<QWidget*>(m_empty));
  m_help->setText(words.text("profileview.roofline.help"));
  if (!peaks || !points) return;
  m_plot->restyle();
  m_plot->setContent(rooflineFigure(*content(), words));
  showPeaks();
  chooseSelected();
}

void RooflinePage::showPeaks() {
  const auto& words = m_desktop.words;
  const auto& format = words.format();
  const auto& peaks = content()->report.peaks;
  QStringList parts;
  if (!peaks.name.empty()) parts << plainName(peaks.name, 60);
  const auto add = [&](const char* id, double rate, const char* unit) {
    if (rate > 0)
      parts << words.text(id) + QStringLiteral("\u00a0") +
                   QString::fromStdString(format.number(rate / kGiga) + "\u00a0" + unit);
  };
  add("profileview.roofline.fp32", peaks.fp32_flops, "GFLOP/s");
  add("profileview.roofline.bf16", peaks.bf16_flops, "GFLOP/s");
  add("profileview.roofline.bandwidth", peaks.bytes_per_second, "GB/s");
  m_peaks->setText(parts.join(QStringLiteral("  ·  ")));
}

void RooflinePage::chooseSelected() {
  if (!content() || isEmpty()) return;
  const auto& points = content()->report.roofline;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i].name == m_selection.name()) return m_plot->choose(static_cast<int>(i));
  m_plot->choose(-1);
}

std::vector<ProfilePage::Picture> RooflinePage::pictures() {
  std::vector<Picture> all;
  if (!isEmpty())
    all.push_back(Picture{QStringLiteral("roofline"), [this](const QString& file) { return m_plot->saveImage(file); }});
  return all;
}

}  // namespace atelier::app
