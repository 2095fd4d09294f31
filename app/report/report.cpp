#include "report.h"

#include <QBuffer>
#include <QPageLayout>
#include <QPdfWriter>

#include <algorithm>
#include <filesystem>

#include "core/registry/registry.h"
#include "sections.h"

namespace atelier::app {
namespace {

using namespace report;

constexpr double kMargin = 20;  // millimetres
constexpr double kA4Width = 210, kA4Height = 297;
const double kTextWidth = mm(kA4Width - 2 * kMargin), kTextHeight = mm(kA4Height - 2 * kMargin);

void runningText(QPainter& painter, double y, const QString& left, const QString& right) {
  const auto face = font(Face::Text, 8);
  const QFontMetricsF metrics(face);
  const double room = kTextWidth - metrics.horizontalAdvance(right) - pt(20);
  painter.setFont(face);
  painter.setPen(ink().soft);
  painter.drawText(QPointF(0, y), metrics.elidedText(left, Qt::ElideRight, room));
  painter.drawText(QPointF(kTextWidth - metrics.horizontalAdvance(right), y), right);
}

void drawPages(QPdfWriter& writer, QPainter& painter, const QVector<Page>& pages, const Writing& writing) {
  const auto& content = writing.content;
  for (qsizetype i = 0; i < pages.size(); ++i) {
    if (i > 0) writer.newPage();
    if (i > 0) runningText(painter, -mm(7), content.title, content.learner);
    const wire::Message number{"report.page", {{"page", std::to_string(i + 1)}, {"pages", std::to_string(pages.size())}}};
    runningText(painter, kTextHeight + mm(9),
                writing.text(wire::Message{"report.foot", {{"date", dateText(content).toStdString()}}}), writing.text(number));
    for (const auto& placed : pages[i]) placed.block.draw(painter, QPointF(0, placed.top));
  }
}

QVector<Page> layOut(const Writing& writing) {
  addTitle(writing);
  addPredictions(writing);
  addChecks(writing);
  addPlan(writing);
  addLadders(writing);
  addMachine(writing);
  addExperiments(writing);
  addRerun(writing);
  return paginate(writing.flow.blocks(), kTextHeight);
}

}  // namespace

wire::Result<int> writeReport(const ReportContent& content, const QString& file) {
  Theme::loadFonts();
  const auto language = content.language.toStdString();
  const auto catalog = wire::Catalog::builtIn(language);
  const wire::Format format(language);
  Flow flow(kTextWidth);
  const Writing writing{content, catalog, format, flow};
  const auto pages = layOut(writing);

  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  {
    QPdfWriter writer(&buffer);
    writer.setResolution(kResolution);
    writer.setPageLayout(QPageLayout(QPageSize(QPageSize::A4), QPageLayout::Portrait,
                                     QMarginsF(kMargin, kMargin, kMargin, kMargin), QPageLayout::Millimeter));
    writer.setTitle(content.title);
    writer.setCreator(QStringLiteral("Atelier"));
    QPainter painter(&writer);
    drawPages(writer, painter, pages, writing);
  }
  const auto written = registry::writeWhole(std::filesystem::path(file.toStdString()),
                                            std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
  if (!written) {
    auto messages = written.error().messages;
    messages.insert(messages.begin(), {"report.write", {{"file", file.toStdString()}}});
    return wire::Error{wire::ExitCode::Failed, std::move(messages)};
  }
  return static_cast<int>(pages.size());
}

}  // namespace atelier::app
