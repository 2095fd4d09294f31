// What a search for the largest batch says: the answer, and each batch that was tried with what it needed.
#include <cmath>

#include "core/wire/json_read.h"
#include "core/wire/number.h"
#include "labs/check.h"
#include "labs/outcome.h"
#include "sections.h"

namespace atelier::app::report {
namespace {

QString qt(const std::string& text) {
  return QString::fromStdString(text);
}

QString bytesAt(const Writing& w, const nlohmann::json& row, const char* key) {
  const auto bytes = wire::getNumber(row, key);
  return bytes && std::isfinite(*bytes) && *bytes > 0 ? qt(w.format.bytes(std::llround(*bytes))) : QStringLiteral("—");
}

}  // namespace

void addSearch(const Writing& w, const ReportExperiment& experiment) {
  if (!experiment.search.is_object()) return;
  for (const auto& message : lab::batchFindings(experiment.search)) w.flow.paragraph(qt(lab::localText(message, w.catalog)));
  QVector<QVector<Cell>> rows;
  const auto tries = wire::memberAt(experiment.search, "tries");
  for (std::size_t i = 0; tries.is_array() && i < tries.size(); ++i) {
    const auto& row = tries[i];
    const bool fits = wire::memberAt(row, "fits") == true;
    const auto batch = static_cast<std::int64_t>(wire::getNumber(row, "batch").value_or(0));
    rows.append({{qt(w.format.integer(batch)), {}},
                 {w.text(fits ? "batch.fits" : "batch.too_much"), fits ? ink().good : ink().bad},
                 {bytesAt(w, row, "peak_bytes"), {}, true},
                 {bytesAt(w, row, "predicted_bytes"), {}}});
  }
  if (rows.isEmpty()) return;
  w.flow.table({{w.text("batch.column.batch"), 0.8, Align::Right},
                {w.text("report.verdict"), 1.4},
                {w.text("batch.column.peak"), 1, Align::Right},
                {w.text("batch.column.predicted"), 1, Align::Right}},
               rows);
}

}  // namespace atelier::app::report
