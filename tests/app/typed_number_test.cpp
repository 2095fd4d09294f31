// Numbers as people type them, in either language.
#include "app/models/typed_number.h"

#include <QtTest>

#include <cmath>

using namespace atelier::app;

class TypedNumberTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void numbersAreReadInEitherLanguage_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("language");
    QTest::addColumn<double>("value");
    const auto both = [](const char* text, double value) {
      for (const char* language : {"en", "fr"})
        QTest::addRow("%s %s", text, language) << QString::fromUtf8(text) << QString::fromLatin1(language) << value;
    };
    both("0.1", 0.1);
    both("0,1", 0.1);
    both(" 1e-8 ", 1e-8);
    both("1,5e3", 1500);
    both("-2,5", -2.5);
    both("\u22123", -3);
    both(".5", 0.5);
    both("+7", 7);
    both("16 777 217", 16'777'217);
    both("16\u202f777\u202f217", 16'777'217);
    both("1,234,567", 1'234'567);
    both("1,234.5", 1234.5);
    both("1.234,5", 1234.5);
    both("2^-24", std::ldexp(1, -24));
    both("2**10", 1024);
    both("-2^2", -4);
    both("1 + 2^-9", 1 + std::ldexp(1, -9));
    both("1 - 2^-9", 1 - std::ldexp(1, -9));
    both("1e-3 + 1e-4", 1e-3 + 1e-4);
    both("inf", INFINITY);
    both("-\u221e", -INFINITY);
    both("0,125", 0.125);
    QTest::addRow("1,500 en") << QStringLiteral("1,500") << QStringLiteral("en") << 1500.0;
    QTest::addRow("1,500 fr") << QStringLiteral("1,500") << QStringLiteral("fr") << 1.5;
  }
  void numbersAreReadInEitherLanguage() {
    QFETCH(QString, text);
    QFETCH(QString, language);
    QFETCH(double, value);
    const auto read = typedNumber(text, language.toStdString());
    QVERIFY(read.has_value());
    QCOMPARE(*read, value);
  }

  void theSignOfZeroIsKeptAndNanIsRead() {
    QVERIFY(std::signbit(typedNumber(QStringLiteral("-0"), "en").value_or(1)));
    QVERIFY(!std::signbit(typedNumber(QStringLiteral("0"), "en").value_or(-1)));
    QVERIFY(std::isnan(typedNumber(QStringLiteral("NaN"), "fr").value_or(0)));
  }

  void whatIsNoNumberIsNone() {
    for (const char* text :
         {"", " ", "abc", "1.2.3", "1,2,3", "--1", "1+", "2^", "^2", "2^3^4", "0x10", "1e", "e5", "1e400", "-", "1,,5", "five"})
      QVERIFY2(!typedNumber(QString::fromLatin1(text), "en").has_value(), text);
    QVERIFY(!typedNumber(QString(100'000, QLatin1Char('1')), "en").has_value());
    QVERIFY(!typedNumber(QString(150, QLatin1Char('-')) + QLatin1Char('1'), "fr").has_value());
  }
};

QTEST_APPLESS_MAIN(TypedNumberTest)
#include "typed_number_test.moc"
