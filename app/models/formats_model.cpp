#include "formats_model.h"

#include <cmath>

#include "typed_number.h"

namespace atelier::app {

FormatsModel::FormatsModel(QObject* parent) : QObject(parent) {
  const auto& formats = wire::numberFormats();
  static_assert(std::tuple_size_v<std::decay_t<decltype(formats)>> == kRows);
  for (std::size_t i = 0; i < m_rows.size(); ++i) m_rows[i].format = formats[i];
  encode();
}

std::optional<double> FormatsModel::relativeError(int row) const {
  const double stored = m_rows[static_cast<std::size_t>(row)].stored;
  if (!std::isfinite(m_value) || !std::isfinite(stored) || m_value == 0) return std::nullopt;
  // Halves: the difference of two numbers at the ends of the range is none.
  return std::fabs(stored / 2 - m_value / 2) / std::fabs(m_value) * 2;
}

bool FormatsModel::type(const QString& text, const std::string& language) {
  const auto value = typedNumber(text, language);
  if (value) setValue(*value);
  return value.has_value();
}

void FormatsModel::setValue(double value) {
  m_value = value;
  encode();
  Q_EMIT changed();
}

void FormatsModel::encode(int except) {
  for (int i = 0; i < kRows; ++i) {
    if (i == except) continue;
    auto& row = m_rows[static_cast<std::size_t>(i)];
    row.encoded = row.format.encode(m_value, m_rounding, m_saturate);
    row.stored = row.format.decode(row.encoded.bits);
  }
}

void FormatsModel::take(int row, std::uint32_t bits) {
  auto& taken = m_rows[static_cast<std::size_t>(row)];
  taken.encoded = {};
  taken.encoded.bits = bits;
  taken.stored = m_value = taken.format.decode(bits);
  encode(row);
  Q_EMIT changed();
}

void FormatsModel::flip(int row, int bit) {
  take(row, m_rows[static_cast<std::size_t>(row)].encoded.bits ^ std::uint32_t{1} << bit);
}

bool FormatsModel::walk(int row, bool upwards) {
  const auto& from = m_rows[static_cast<std::size_t>(row)];
  const auto to = upwards ? from.format.next(from.encoded.bits) : from.format.previous(from.encoded.bits);
  if (to) take(row, *to);
  return to.has_value();
}

void FormatsModel::setRounding(wire::Rounding rounding) {
  if (rounding == m_rounding) return;
  m_rounding = rounding;
  setValue(m_value);
}

void FormatsModel::setSaturate(bool saturate) {
  if (saturate == m_saturate) return;
  m_saturate = saturate;
  setValue(m_value);
}

bool FormatsModel::typeScale(const QString& text, const std::string& language) {
  const auto scale = typedNumber(text, language);
  if (!scale || !std::isfinite(*scale) || !(*scale > 0)) return false;
  auto& format = m_rows[kInt8].format;
  format = format.withScale(*scale);
  setValue(m_value);
  return true;
}

}  // namespace atelier::app
