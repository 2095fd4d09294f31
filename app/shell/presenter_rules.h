// What a key means in presenter mode, and which screen the notes go to. Presenter remotes send PageUp, PageDown, Esc, F5 and
// "." or "b". Pure.
#pragma once

#include <Qt>

#include <optional>

class QWidget;

namespace atelier::app {

enum class PresenterCommand { Next, Back, Blank, Jump, Timer, Notes, Leave };

// Nothing for a key that is none of the presenter's, or that is held with Ctrl, Alt or Meta.
std::optional<PresenterCommand> presenterCommand(int key, Qt::KeyboardModifiers modifiers);

// Whether a key stays with the widget that has the focus: typing in a field, the arrows in a list, a spin box or a plot.
// `tabbed`: the focus was brought there by Tab, so that Space and the arrows are meant for it.
bool keepsKey(const QWidget& focus, int key, bool tabbed);

// The screen for the notes: another than the window's, the first there is; nothing when there is no other. The window may be on
// a screen that has just gone (−1).
std::optional<int> notesScreen(int screens, int window);

}  // namespace atelier::app
