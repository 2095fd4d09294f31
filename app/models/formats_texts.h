// What the Formats view says of numbers, formats and shares, in the reader's language. Pure; GUI thread.
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <vector>

#include "core/wire/value_histogram.h"
#include "formats_model.h"
#include "text_table.h"
#include "words.h"

namespace atelier::app {

// Up to ten figures; what is very small or large as a power of ten: "5.960464·10⁻⁸"; "NaN", "∞", "−0".
QString exactText(double value, const wire::Format& format, int digits = 10);
// "2⁻²⁴", "10³⁰".
QString powerOfTwo(int exponent);
QString powerOfTen(int exponent);
// A share of all, also a very small one: "12.5 %", "0.00120 %", "0 %".
QString smallShare(double share, const wire::Format& format);
// "float8_e4m3fn", as PyTorch calls it.
QString formatName(const wire::NumberFormat& format);

struct RowText {
  QString stored;  // what the code is worth
  QString error;   // "exact", "rounded up by 0.024 %"
  QString badge;   // underflow, overflow, subnormal; or ""
  bool warning = false;
  QString all() const;
};
RowText rowText(const FormatsModel& model, int row, const Words& words);

// "0 01111 0000000000".
QString bitsText(const wire::NumberFormat& format, std::uint32_t bits);
// "bit 14, exponent: 1". `bit` 0: the lowest.
QString bitText(const wire::NumberFormat& format, std::uint32_t bits, int bit, const Words& words);

// A row a format: layout, largest, smallest normal and subnormal, epsilon, digits, finite values.
QStringList factsHead(const Words& words);
std::vector<TextTable::Row> factsRows(const FormatsModel& model, const Words& words);

// A row a format: the shares that become zero, are subnormal, overflow; the scale that saves most, and what becomes zero with
// it.
QStringList sharesHead(const Words& words);
std::vector<TextTable::Row> sharesRows(const FormatsModel& model, const wire::ValueHistogram& histogram, const Words& words);

// A row a format, never through the locale: its layout and facts, the value and what it becomes, and of each kind of values in
// `counted` (null: of none) the shares that the view shows.
QByteArray formatsCsv(const FormatsModel& model, const wire::ValueHistograms* counted);

}  // namespace atelier::app
