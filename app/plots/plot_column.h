// PlotColumn: the live plots of the runs at hand (throughput, tensor memory, CPU, loss; accuracy where it was taken more than
// once, the time waited for data, batches that stand ready and the loss scale where a run tells of them) on one time axis with
// one cursor; two columns where the window is wide. It holds no run: it is told which to show and when to look again. GUI
// thread.
#pragma once

#include <QVector>
#include <QWidget>

#include <array>

#include "app/models/run_series.h"
#include "linked_cursor.h"
#include "plot_content.h"

class QGridLayout;

namespace atelier::wire {
class Catalog;
class Format;
}  // namespace atelier::wire

namespace atelier::app {

class Theme;
class TimePlot;

class PlotColumn : public QWidget {
  Q_OBJECT
 public:
  static constexpr int kPlots = 8;

  PlotColumn(const Theme& theme, const wire::Catalog& catalog, const wire::Format& format, QWidget* parent = nullptr);

  // The runs are not owned: call again, with what is left, before one of them goes.
  void setSeries(const QVector<const RunSeries*>& runs);
  void refresh();  // reads the runs again
  // The same for one plot, another at each call: drawing all of them every time would take the cores from the run that is
  // measured.
  void refreshNext();
  void retext();                      // after a change of language
  void restyle();                     // after a change of theme or scale
  void setMark(const QString& mark);  // in every plot: what they show was not measured here
  void setTwoColumns(bool two);
  // All plots that are shown, one below the other, as one picture: .svg or any raster format. The file is written whole.
  bool saveAll(const QString& file) const;
  TimePlot& plot(PlotKind kind) { return *m_plots[static_cast<std::size_t>(kind)]; }

 Q_SIGNALS:
  void saveFailed(const QString& file);

 private:
  bool showWorthy();  // the plots that have something to show; true when they are others than before
  void arrange();
  void labelTime();  // on the lowest plot of each column

  const Theme& m_theme;
  const wire::Catalog& m_catalog;
  const wire::Format& m_format;
  LinkedCursor m_cursor;
  QVector<const RunSeries*> m_runs;
  std::array<TimePlot*, kPlots> m_plots{};
  std::array<bool, kPlots> m_worth{};
  QStringList m_phases;
  QGridLayout* m_grid = nullptr;
  std::size_t m_next = 0;
  bool m_two = false;
};

}  // namespace atelier::app
