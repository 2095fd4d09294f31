// The options that `atelier-engine describe` told, as a schema. Any thread.
#pragma once

#include <nlohmann/json.hpp>

#include "core/wire/option.h"

namespace atelier::app {

// Passes the engine's own failure on; fails with schema.malformed on a form that is not known.
wire::Result<wire::Schema> describedSchema(const wire::Result<nlohmann::json>& described);

}  // namespace atelier::app
