// ClassFigures: what the Class view draws and says of one lab: gains over machines as a strip of dots with its quartiles,
// predictions against what was measured, the share that passed each check, who is stuck and on what. Pure: all comes from the
// book and the words. GUI thread.
#pragma once

#include <QString>
#include <QStringList>
#include <QVector>

#include <optional>

#include "labs/class/class.h"

namespace atelier::app {

class ClassBook;
class Words;

struct Dot {
  double x = 0, y = 0;
  QString label;        // whose, on which machine, and the figure with its interval
  bool decided = true;  // false: the race says no more than that the machine was busy
};

struct DotFigure {
  QString title, xTitle, yTitle, summary;  // summary: the figure as a sentence
  QVector<Dot> dots;
  struct Box {
    double low = 0, median = 0, high = 0;
  };
  std::optional<Box> box;           // quartiles along x
  std::optional<double> reference;  // a line across x: no gain
  bool scatter = false;             // y is a figure too, with the line on which both are equal
};

struct Share {
  QString name, text;  // "Fast enough", "12 of 14"
  double share = 0;    // 0 … 1
};

class ClassFigures {
 public:
  ClassFigures(const ClassBook& book, const Words& words) : m_book(book), m_words(words) {}

  DotFigure gains(const lab::MeasuredRollUp& measured, const lab::LabRollUp& lab) const;
  DotFigure predictions(const lab::PredictionRollUp& predictions, const lab::LabRollUp& lab) const;
  QVector<Share> checks(const lab::LabRollUp& lab) const;
  QStringList stuck(const lab::LabRollUp& lab) const;
  QString summary(const lab::LabRollUp& lab) const;
  static QString stepTitle(const lab::LabRollUp& lab, const std::string& step);

 private:
  QString figure(double value, const std::string& unit) const;

  const ClassBook& m_book;
  const Words& m_words;
};

// Heights for dots along one axis so that near ones stand above and below one another: 0, 1, −1, 2, … REQUIRES: x ascending.
QVector<double> spreadDots(const QVector<double>& x, double near);

}  // namespace atelier::app
