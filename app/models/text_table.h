// TextTable: rows of finished texts under a head, for tables that are read as they stand. A heading row has one cell and spans
// all columns. GUI thread.
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <QVector>

#include <vector>

namespace atelier::app {

class Theme;

class TextTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum class RowKind { Text, Figures, Heading };
  struct Row {
    QStringList cells;  // the row's title first
    RowKind kind = RowKind::Text;
  };

  explicit TextTable(const Theme& theme, QObject* parent = nullptr) : QAbstractTableModel(parent), m_theme(theme) {}

  // `orders`: of colour and marker, a column each from the second on; shorter: plain heads.
  void setTable(QStringList head, std::vector<Row> rows, QVector<int> orders = {});
  const std::vector<Row>& rows() const { return m_rows; }
  const QStringList& head() const { return m_head; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  const Theme& m_theme;
  QStringList m_head;
  std::vector<Row> m_rows;
  QVector<int> m_orders;
};

}  // namespace atelier::app
