// Tables that are as high as their rows: what they stand in scrolls, not they. GUI thread.
#pragma once

class QTableView;

namespace atelier::app {

class Theme;

void makeFitting(QTableView& table);
// After its rows or the look have changed.
void fit(QTableView& table, const Theme& theme);

}  // namespace atelier::app
