// What somebody who helps needs to know: versions, machine, the last error. Nothing about the person: no name, no account, no
// path of theirs. Pure; GUI thread.
#pragma once

#include <QString>

#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/wire/catalog.h"
#include "core/wire/result.h"

namespace atelier::app {

struct SupportFacts {
  QString version, language, theme;
  nlohmann::json machine;                 // environment of the newest run
  std::optional<wire::Error> last_error;  // of the engine or the last run
  QString learner, home;                  // left out of the text wherever they stand in it
};

QString supportText(const SupportFacts& facts, const wire::Catalog& catalog);

}  // namespace atelier::app
