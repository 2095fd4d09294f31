// FilterBar: the field for the query that chooses which runs are listed, the filters that were kept, and how many runs are
// left. A query that can't be read is named below the field, with its place and what to do; the list stays as the last good one
// left it. GUI thread.
#pragma once

#include <QTimer>
#include <QWidget>

#include <optional>
#include <string>
#include <vector>

#include "app/shell/view.h"
#include "core/registry/query.h"
#include "core/wire/result.h"

class QAction;
class QLabel;
class QLineEdit;
class QToolButton;

namespace atelier::app {

class FilterBar : public QWidget {
  Q_OBJECT
 public:
  FilterBar(const Desktop& desktop, QWidget* parent = nullptr);

  // Keys that a query may name beside the registry's fields.
  void setKeys(std::vector<std::string> keys);
  void setCounts(int shown, int total);
  void setText(const QString& text);
  QString text() const;
  void takeFocus();
  QLineEdit* field() const { return m_field; }
  QString problem() const;  // "" when the query can be read

 Q_SIGNALS:
  void queryChanged(const atelier::registry::Query& query);

 private:
  void read();
  void showKept();
  void keep(const QString& text, bool kept);
  QStringList kept() const;
  void retext();
  void restyle();

  const Desktop& m_desktop;
  std::vector<std::string> m_keys;
  std::optional<wire::Error> m_error;
  int m_shown = 0, m_total = 0;
  QTimer m_typing;
  QLineEdit* m_field = nullptr;
  QAction* m_clear = nullptr;
  QToolButton* m_kept = nullptr;
  QLabel *m_count = nullptr, *m_problem = nullptr;
};

}  // namespace atelier::app
