#include "style.h"

#include <algorithm>

namespace atelier::app::report {

const Tokens& ink() {
  return Theme::light();
}

QPen seriesPen(int order, double points) {
  const auto& colours = ink().series;
  QPen pen(colours[std::max(order, 0) % colours.size()], pt(points));
  pen.setCapStyle(Qt::FlatCap);
  pen.setJoinStyle(Qt::RoundJoin);
  const auto dash = Theme::seriesDash(order);
  if (!dash.isEmpty()) pen.setDashPattern(dash);
  return pen;
}

QFont font(Face face, double points) {
  QFont result(face == Face::Code ? QStringLiteral("JetBrains Mono") : QStringLiteral("Inter"));
  result.setStyleHint(face == Face::Code ? QFont::Monospace : QFont::SansSerif);
  result.setPixelSize(qRound(pt(points)));
  result.setWeight(face == Face::Strong ? QFont::DemiBold : face == Face::Medium ? QFont::Medium : QFont::Normal);
  result.setHintingPreference(QFont::PreferNoHinting);
  // Inter's contextual forms (a raised × or / between digits) have no way back to Unicode: the text could not be extracted.
  result.setStyleStrategy(static_cast<QFont::StyleStrategy>(QFont::PreferOutline | QFont::PreferNoShaping));
  return result;
}

}  // namespace atelier::app::report
