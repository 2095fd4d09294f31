// FormatsModel: one number in every number format at once. It is typed, or made by flipping a bit of one format's code; what
// the other formats make of it follows. Invariant: the row whose bits were flipped keeps them as they are (a NaN's payload
// too); every other row holds the encoded value. GUI thread.
#pragma once

#include <QObject>
#include <QString>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/wire/number_format.h"

namespace atelier::app {

struct FormatRow {
  wire::NumberFormat format{};
  wire::Encoded encoded{};
  double stored = 0;  // what its code is worth
};

class FormatsModel : public QObject {
  Q_OBJECT
 public:
  static constexpr int kRows = 7;
  static constexpr int kInt8 = 6;
  static constexpr double kFirstValue = 0.1;

  explicit FormatsModel(QObject* parent = nullptr);

  double value() const { return m_value; }
  const std::array<FormatRow, kRows>& rows() const { return m_rows; }
  wire::Rounding rounding() const { return m_rounding; }
  bool saturate() const { return m_saturate; }
  // |stored − value| ÷ |value|; nullopt where there is no such ratio.
  std::optional<double> relativeError(int row) const;

  // False, and nothing changed, when it is no number (see typed_number.h).
  bool type(const QString& text, const std::string& language);
  void setValue(double value);
  void flip(int row, int bit);       // bit 0: the lowest. REQUIRES: a bit of the row's code
  bool walk(int row, bool upwards);  // to the row's next code; false when there is none
  void setRounding(wire::Rounding rounding);
  void setSaturate(bool saturate);
  // What a code of 1 is worth in int8; false, and nothing changed, for what is no finite number above 0.
  bool typeScale(const QString& text, const std::string& language);
  double scale() const { return m_rows[kInt8].format.scale; }

 Q_SIGNALS:
  void changed();

 private:
  void take(int row, std::uint32_t bits);
  void encode(int except = -1);

  std::array<FormatRow, kRows> m_rows{};
  double m_value = kFirstValue;
  wire::Rounding m_rounding = wire::Rounding::NearestEven;
  bool m_saturate = false;
};

}  // namespace atelier::app
