// ClassTable: learners × labs: how far each one is, what the checks said, who is stuck, when they were last active. A row a
// learner, in the class's order. GUI thread.
#pragma once

#include <QAbstractTableModel>
#include <QString>

#include <cstdint>
#include <string>
#include <vector>

namespace atelier::lab {
struct LabResult;
}

namespace atelier::app {

class ClassBook;
class Theme;
class Words;

class ClassTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  // Share: of a lab's steps that are done, 0 … 1. Lab: the column's lab. Sort: a number, or a text of the first column.
  enum Role { ShareRole = Qt::UserRole, StuckRole, LabRole, SortRole };

  ClassTable(const Theme& theme, const ClassBook& book, const Words& words, QObject* parent = nullptr);

  // The book or the language has changed.
  void reset();
  int columnOf(const std::string& lab) const;  // -1: none

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  const lab::LabResult* resultAt(const QModelIndex& index) const;  // null for other columns, and where there is none
  bool isLab(int column) const { return column > 0 && column <= static_cast<int>(m_labs.size()); }
  QString cell(const lab::LabResult& result) const;
  QString details(const QModelIndex& index) const;
  QString activity(std::int64_t unix_ms) const;
  QVariant sortKey(const QModelIndex& index) const;
  QVariant display(const QModelIndex& index) const;

  const Theme& m_theme;
  const ClassBook& m_book;
  const Words& m_words;
  std::vector<std::string> m_labs;  // ids of columns 1 …
  int m_rows = 0;
};

}  // namespace atelier::app
