// CourseModel: the course as a tree, half-days above their labs, with what is done and what is open. Rows are copied from the
// course at setCourse(), so that the course may be read again at any time. GUI thread.
#pragma once

#include <QAbstractItemModel>
#include <QString>

#include <set>
#include <string>
#include <vector>

#include "labs/lab.h"

namespace atelier::app {

class CourseModel : public QAbstractItemModel {
  Q_OBJECT
 public:
  enum State { HalfDay, Open, Current, Done, Planned };  // Done wins over Current in the sign, not in the selection
  enum Role { StateRole = Qt::UserRole, LabRole, MinutesRole, CurrentRole };

  using QAbstractItemModel::QAbstractItemModel;

  void setCourse(const lab::Course& course);
  void setProgress(const std::set<std::string>& done, const std::string& current);
  void setPlannedText(const QString& text);  // tool tip of a lab that can't be opened yet
  int doneCount() const { return static_cast<int>(m_done.size()); }
  int labCount() const;
  QModelIndex indexOf(const std::string& lab) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& = {}) const override { return 1; }
  QVariant data(const QModelIndex& index, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 private:
  struct Entry {
    std::string id;  // "" for a planned lab
    QString number, title, question;
    int minutes = 0;
  };
  struct Half {
    QString title;
    std::vector<Entry> labs;
  };
  const Entry& entry(const QModelIndex& index) const;
  State state(const QModelIndex& index) const;

  std::vector<Half> m_halves;
  std::set<std::string> m_done;
  std::string m_current;
  QString m_plannedText;
};

}  // namespace atelier::app
