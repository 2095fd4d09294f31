#include "profile_export.h"

#include <QDateTime>

#include "core/registry/registry.h"
#include "core/trace/chrome_json.h"
#include "core/trace/flame.h"
#include "core/trace/report.h"
#include "core/trace/tensorboard.h"

namespace atelier::app {

wire::Status exportProfile(const TraceDocument::Content& content, ProfileExport what, const std::filesystem::path& where) {
  switch (what) {
    case ProfileExport::TensorBoard:
      return trace::writeTensorBoard(content.trace, where, "atelier", QDateTime::currentMSecsSinceEpoch());
    case ProfileExport::Csv:
      return registry::writeWhole(where, trace::operatorsCsv(content.trace, content.report.operators_by_shape));
    case ProfileExport::Flame:
      return registry::writeWhole(where, trace::flameSvg(content.trace, content.flame, content.trace.title));
    case ProfileExport::Chrome:
      break;
  }
  return trace::writeChromeTrace(content.trace, where);
}

}  // namespace atelier::app
