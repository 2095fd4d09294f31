// StepFinder: every step of every lab of the course as a list, narrowed down by words that may stand in its number, its title
// or its lab's, whatever their case and accents. GUI thread.
#pragma once

#include <QAbstractListModel>
#include <QString>

#include <vector>

#include "labs/lab.h"

namespace atelier::app {

class StepFinder : public QAbstractListModel {
  Q_OBJECT
 public:
  enum Role { LabRole = Qt::UserRole, StepRole, DetailRole };  // id of the lab, index of the step, the lab's title

  using QAbstractListModel::QAbstractListModel;

  void setCourse(const lab::Course& course);
  void setQuery(const QString& query);
  // The row of a step, or −1 when it is not among those found.
  int rowOf(const std::string& lab, int step) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  struct Entry {
    QString lab, text, detail, searched;  // searched: folded
    int step = 0;
  };
  void filter();

  std::vector<Entry> m_entries;
  std::vector<std::size_t> m_found;
  QString m_query;  // folded
};

}  // namespace atelier::app
