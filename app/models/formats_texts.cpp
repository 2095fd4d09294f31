#include "formats_texts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "profile_cells.h"
#include "save_file.h"

namespace atelier::app {

namespace {

constexpr double kSmallShare = 1e-3;
constexpr int kMantissaDigits = 7;

QString qt(const std::string& text) {
  return QString::fromStdString(text);
}

QString raised(int number) {
  static const QString kDigits = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
  QString text;
  for (const QChar digit : QString::number(std::abs(number))) text += kDigits[digit.digitValue()];
  if (number < 0) text.prepend(QChar(0x207B));  // ⁻
  return text;
}

QString percentOf(double share, const wire::Format& format) {
  return wideText(100 * share, format) + QStringLiteral("\u202f%");
}

const char* fieldId(const wire::NumberFormat& format, int bit) {
  if (bit == format.width() - 1) return "formats.sign";
  if (format.integer()) return "formats.integer_bits";
  return bit >= format.mantissa_bits ? "formats.exponent" : "formats.mantissa";
}

QString overflowText(const FormatRow& row, const Words& words) {
  if (std::isnan(row.stored)) return words.text("formats.overflow_nan");
  return words.text(std::isinf(row.stored) ? "formats.overflow_infinite" : "formats.overflow_largest");
}

}  // namespace

QString exactText(double value, const wire::Format& format, int digits) {
  constexpr double kSmall = 1e-4, kLarge = 1e10;
  if (std::isnan(value)) return QStringLiteral("NaN");
  if (value == 0) return std::signbit(value) ? QStringLiteral("−0") : QStringLiteral("0");
  const double size = std::fabs(value);
  if (std::isinf(value) || (size >= kSmall && size < kLarge)) return qt(format.compact(value, digits));
  int power = static_cast<int>(std::floor(std::log10(size)));
  // In two steps: the smallest double's power of ten is none.
  double mantissa = value / std::pow(10.0, power / 2) / std::pow(10.0, power - power / 2);
  if (std::fabs(mantissa) >= 10) {
    mantissa /= 10;
    ++power;
  }
  return qt(format.compact(mantissa, std::min(digits, kMantissaDigits))) + QStringLiteral("·10") + raised(power);
}

QString powerOfTwo(int exponent) {
  return QStringLiteral("2") + raised(exponent);
}

QString powerOfTen(int exponent) {
  return QStringLiteral("10") + raised(exponent);
}

QString smallShare(double share, const wire::Format& format) {
  if (share > 0 && share < kSmallShare) return percentOf(share, format);
  return share == 0 ? QStringLiteral("0\u202f%") : qt(format.percent(share));
}

QString formatName(const wire::NumberFormat& format) {
  const auto id = QString::fromUtf8(format.id.data(), static_cast<qsizetype>(format.id.size()));
  return format.width() == 8 && !format.integer() ? QStringLiteral("float8_") + id : id;
}

QString RowText::all() const {
  QStringList parts{stored, error, badge};
  parts.removeAll(QString());
  return parts.join(QStringLiteral("  ·  "));
}

RowText rowText(const FormatsModel& model, int row, const Words& words) {
  const auto& format = words.format();
  const auto& shown = model.rows()[static_cast<std::size_t>(row)];
  RowText text;
  text.stored = exactText(shown.stored, format);
  if (const auto error = model.relativeError(row); shown.encoded.exact) {
    text.error = words.text("formats.is_exact");
  } else if (error) {
    const char* id = shown.stored > model.value() ? "formats.rounded_up" : "formats.rounded_down";
    text.error = words.text(wire::Message{id, {{"error", percentOf(*error, format).toStdString()}}});
  }
  if (shown.encoded.overflow) text.badge = overflowText(shown, words);
  else if (shown.encoded.underflow) text.badge = words.text("formats.underflow");
  else if (shown.format.integer() && std::isnan(model.value())) text.badge = words.text("formats.no_nan");
  text.warning = !text.badge.isEmpty();
  if (!text.warning && shown.format.classOf(shown.encoded.bits) == wire::NumberClass::Subnormal)
    text.badge = words.text("formats.is_subnormal");
  return text;
}

QString bitsText(const wire::NumberFormat& format, std::uint32_t bits) {
  QString text;
  for (int bit = format.width() - 1; bit >= 0; --bit) {
    text += QLatin1Char(bits >> bit & 1 ? '1' : '0');
    const bool behindSign = bit == format.width() - 1, behindExponent = !format.integer() && bit == format.mantissa_bits;
    if (behindSign || behindExponent) text += QLatin1Char(' ');
  }
  return text;
}

QString bitText(const wire::NumberFormat& format, std::uint32_t bits, int bit, const Words& words) {
  return words.text(wire::Message{"formats.bit",
                                  {{"bit", words.format().integer(bit)},
                                   {"field", words.text(fieldId(format, bit)).toStdString()},
                                   {"state", bits >> bit & 1 ? "1" : "0"}}});
}

QStringList factsHead(const Words& words) {
  QStringList head;
  for (const char* id :
       {"formats.format", "formats.layout", "formats.largest", "formats.smallest_normal", "formats.smallest_subnormal",
        "formats.epsilon", "formats.step", "formats.digits", "formats.finite_values"})
    head << words.text(id);
  return head;
}

std::vector<TextTable::Row> factsRows(const FormatsModel& model, const Words& words) {
  constexpr int kFigures = 5;
  const auto& format = words.format();
  std::vector<TextTable::Row> rows;
  for (const auto& row : model.rows()) {
    const auto& one = row.format;
    const auto facts = one.facts();
    const auto layout = one.integer() ? QStringLiteral("1 + %1").arg(one.mantissa_bits)
                                      : QStringLiteral("1 + %1 + %2").arg(one.exponent_bits).arg(one.mantissa_bits);
    rows.push_back({{formatName(one), layout, exactText(facts.largest, format, kFigures),
                     exactText(facts.smallest_normal, format, kFigures), exactText(facts.smallest_subnormal, format, kFigures),
                     exactText(facts.epsilon, format, kFigures), exactText(one.step(model.value()), format, kFigures),
                     qt(format.fixed(facts.decimal_digits, 1)), qt(format.integer(facts.finite_values))},
                    TextTable::RowKind::Figures});
  }
  return rows;
}

QStringList sharesHead(const Words& words) {
  QStringList head;
  for (const char* id : {"formats.format", "formats.to_zero", "formats.to_subnormal", "formats.to_overflow",
                         "formats.best_scale", "formats.scaled_zero"})
    head << words.text(id);
  return head;
}

std::vector<TextTable::Row> sharesRows(const FormatsModel& model, const wire::ValueHistogram& histogram, const Words& words) {
  const auto& format = words.format();
  std::vector<TextTable::Row> rows;
  for (const auto& row : model.rows()) {
    const auto plain = histogram.outside(row.format);
    const int best = histogram.bestScale(row.format);
    const auto scaled = histogram.outside(row.format, std::ldexp(1.0, best));
    rows.push_back({{formatName(row.format), smallShare(plain.zero, format), smallShare(plain.subnormal, format),
                     smallShare(plain.overflow, format), best == 0 ? QStringLiteral("1") : powerOfTwo(best),
                     smallShare(scaled.zero, format)},
                    TextTable::RowKind::Figures});
  }
  return rows;
}

QByteArray formatsCsv(const FormatsModel& model, const wire::ValueHistograms* counted) {
  static constexpr std::array<const char*, 3> kKinds{"weights", "activations", "gradients"};
  QByteArray text(
      "format,exponent_bits,mantissa_bits,largest,smallest_normal,smallest_subnormal,epsilon,finite_values,value,stored,bits");
  for (const char* kind : kKinds)
    for (const char* figure : {"_to_zero", "_subnormal", "_overflow", "_best_scale", "_scaled_to_zero"})
      if (counted) text += QByteArray(",") + kind + figure;
  text += '\n';
  for (const auto& row : model.rows()) {
    const auto facts = row.format.facts();
    text += csvQuoted(formatName(row.format)) + ',' + QByteArray::number(row.format.exponent_bits) + ',' +
            QByteArray::number(row.format.mantissa_bits);
    for (const double figure : {facts.largest, facts.smallest_normal, facts.smallest_subnormal, facts.epsilon})
      text += ',' + csvNumber(figure);
    text += ',' + QByteArray::number(static_cast<qlonglong>(facts.finite_values)) + ',' + csvNumber(model.value()) + ',' +
            csvNumber(row.stored) + ',' + csvQuoted(bitsText(row.format, row.encoded.bits).remove(QLatin1Char(' ')));
    if (counted)
      for (const auto* histogram : {&counted->weights, &counted->activations, &counted->gradients}) {
        const auto plain = histogram->outside(row.format);
        const double scale = std::ldexp(1.0, histogram->bestScale(row.format));
        for (const double figure :
             {plain.zero, plain.subnormal, plain.overflow, scale, histogram->outside(row.format, scale).zero})
          text += ',' + csvNumber(figure);
      }
    text += '\n';
  }
  return text;
}

}  // namespace atelier::app
