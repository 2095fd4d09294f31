#include "typed_number.h"

#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/wire/number.h"

namespace atelier::app {

namespace {

constexpr qsizetype kLongest = 200;

QString simplified(const QString& typed) {
  QString text;
  for (const QChar c : typed)
    if (!c.isSpace()) text += c == QChar(0x2212) ? QLatin1Char('-') : c.toLower();
  return text.replace(QStringLiteral("**"), QStringLiteral("^")).replace(QChar(0x221E), QLatin1String("inf"));
}

// With a point as the decimal mark and without groups.
QString pointed(QString text, bool french) {
  const auto points = text.count(QLatin1Char('.')), commas = text.count(QLatin1Char(','));
  if (points > 0 && commas > 0) {
    // The decimal mark is the one that stands last.
    const bool comma = text.lastIndexOf(QLatin1Char(',')) > text.lastIndexOf(QLatin1Char('.'));
    return text.remove(QLatin1Char(comma ? '.' : ',')).replace(QLatin1Char(','), QLatin1Char('.'));
  }
  static const QRegularExpression groups(QStringLiteral("^[1-9][0-9]{0,2}(,[0-9]{3})+$"));
  if (commas > 1 || (commas == 1 && !french && groups.match(text).hasMatch()))
    return groups.match(text).hasMatch() ? text.remove(QLatin1Char(',')) : QString();
  return text.replace(QLatin1Char(','), QLatin1Char('.'));
}

std::optional<double> unsignedNumber(const QString& text, bool french) {
  if (text == QLatin1String("inf") || text == QLatin1String("infinity")) return std::numeric_limits<double>::infinity();
  if (text == QLatin1String("nan")) return std::nan("");
  auto number = pointed(text, french);
  if (number.startsWith(QLatin1Char('.'))) number.prepend(QLatin1Char('0'));
  if (number.startsWith(QLatin1Char('-'))) return std::nullopt;
  return wire::parseNumber(number.toStdString());
}

std::optional<double> signedNumber(QString text, bool french) {
  const bool negative = text.startsWith(QLatin1Char('-'));
  if (negative || text.startsWith(QLatin1Char('+'))) text.remove(0, 1);
  const auto number = unsignedNumber(text, french);
  return number && negative ? std::optional(-*number) : number;
}

// A number, or one to the power of another: −2^2 is −4.
std::optional<double> termOf(QString text, bool french) {
  const bool negative = text.startsWith(QLatin1Char('-'));
  if (negative || text.startsWith(QLatin1Char('+'))) text.remove(0, 1);
  const auto parts = text.split(QLatin1Char('^'));
  auto value = unsignedNumber(parts.first(), french);
  if (!value || parts.size() > 2) return std::nullopt;
  if (parts.size() == 2) {
    const auto exponent = signedNumber(parts.last(), french);
    if (!exponent) return std::nullopt;
    value = std::pow(*value, *exponent);
  }
  return negative ? -*value : *value;
}

// Between a sum's terms; not the sign of a number, of an exponent or of a power.
bool separates(const QString& text, qsizetype at) {
  if (at == 0 || (text[at] != QLatin1Char('+') && text[at] != QLatin1Char('-'))) return false;
  const QChar before = text[at - 1];
  const bool exponent = before == QLatin1Char('e') && at > 1 && (text[at - 2].isDigit() || text[at - 2].isPunct());
  return !exponent && before != QLatin1Char('^') && before != QLatin1Char('+') && before != QLatin1Char('-');
}

}  // namespace

std::optional<double> typedNumber(const QString& typed, const std::string& language) {
  const auto text = simplified(typed);
  if (text.isEmpty() || text.size() > kLongest) return std::nullopt;
  const bool french = language == "fr";
  std::optional<double> sum;
  for (qsizetype from = 0; from < text.size();) {
    qsizetype to = from + 1;
    while (to < text.size() && !separates(text, to)) ++to;
    const auto term = termOf(text.mid(from, to - from), french);
    if (!term) return std::nullopt;
    // A sum with 0 would lose the sign of −0.
    sum = sum ? *sum + *term : *term;
    from = to;
  }
  return sum;
}

}  // namespace atelier::app
