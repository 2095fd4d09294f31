// RunExport: runs and tables as files for other programs and for documents. Data never follow the locale; Markdown is for
// people and is worded as shown. Pure but for jsonOf(), which reads the registry in the thread that holds it.
#pragma once

#include <QAbstractItemModel>
#include <QString>

#include <string>
#include <vector>

#include "core/registry/registry.h"
#include "run_library.h"
#include "run_texts.h"

namespace atelier::app {

// Every field that the registry knows, a run a row; absent values are empty. Numbers as in files, times as UTC.
std::string csvOf(const std::vector<RunPtr>& runs);
// The same columns as the list shows, in words.
std::string markdownOf(const std::vector<RunPtr>& runs, const std::vector<std::string>& columns, const RunTexts& texts);
// {"format":"atelier-runs", …}: what `atelier-engine runs export` writes, with spec, environment, summary and events.
std::string jsonOf(registry::Registry& registry, const std::vector<RunPtr>& runs);

// A table as it is shown, its head first.
std::string markdownOf(const QAbstractItemModel& table);
std::string csvOf(const QAbstractItemModel& table);

}  // namespace atelier::app
