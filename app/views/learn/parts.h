// Small makers that the cards of the Learn view share. A widget's look is its role (see the style sheet). GUI thread.
#pragma once

#include <QLabel>
#include <QLayout>
#include <QPushButton>
#include <QWidget>

class QMenu;
class QScrollArea;
class QTableView;
class QToolButton;

namespace atelier::app {

QLabel* makeLabel(const char* role, QWidget* parent = nullptr);        // wraps, selectable by mouse
QPushButton* makeButton(const char* role, QWidget* parent = nullptr);  // role "" is an ordinary button
QWidget* makePanel(const char* role, QWidget* parent = nullptr);
// Gives a widget another role and styles it anew; nothing when it has it.
void setRole(QWidget* widget, const QString& role);
// Sets a text that a screen reader also reads, and hides the label when there is none.
void showText(QLabel* label, const QString& text);
void name(QWidget* widget, const QString& accessible);
void clearLayout(QLayout* layout);
// No frame, and no stop for the Tab key: what is in it has its own.
void makeQuiet(QScrollArea& scroll);
// No grid, no row numbers, no wrapped cells; Tab leaves it.
void makeQuiet(QTableView& table);
// A button that opens a menu.
QToolButton* makeMenuButton(QMenu* menu, const char* objectName, QWidget* parent);
// A turn of the wheel changes the field only once the field has the focus; else it scrolls what the field stands in.
void guardWheel(QWidget* field);

}  // namespace atelier::app
