// What is said of a trace's events in few words: times, tooltips, what a screen reader reads. Names come from files: they are
// cut to a length, made one line, and escaped where they stand in rich text. GUI thread.
#pragma once

#include <QString>

#include <cstdint>

#include "core/trace/flame.h"
#include "core/trace/trace.h"
#include "core/trace/tree.h"
#include "words.h"

namespace atelier::app {

// "840 ns", "12.3 µs", "4.56 ms", "1.23 s": the unit by the size.
QString timeText(std::int64_t ns, const wire::Format& format);

// A name as it stands in a small box: one line, without "aten::" and what autograd's engine puts before its nodes' names.
QString shortName(const std::string& name);
// One line of at most `most` characters.
QString plainName(const std::string& name, int most = 200);
// A module's path; the root by a word.
QString moduleText(const trace::Trace& trace, std::int32_t module, const Words& words);
QString stageText(trace::Stage stage, const Words& words);  // "" for None
// "[128, 1, 28, 28] [32, 1, 3, 3]"; "" when none were recorded.
QString shapesText(const trace::Trace& trace, const trace::Event& event);

// Name, module, stage, shapes, total, self and device time: rich text, and a line for a screen reader.
QString eventTip(const trace::Trace& trace, const trace::Times& times, std::int32_t event, const Words& words);
QString eventReading(const trace::Trace& trace, const trace::Times& times, std::int32_t event, const Words& words);

// Name, module, total with its share, self, calls: rich text, and a line.
QString flameTip(const trace::Trace& trace, const trace::Flame& flame, std::int32_t node, const Words& words);
QString flameReading(const trace::Trace& trace, const trace::Flame& flame, std::int32_t node, const Words& words);

}  // namespace atelier::app
