// Reads a [[step.check]] table: its kind and what the kind declares as parameters. Any thread; values only.
#pragma once

#include "check.h"
#include "toml_tree.h"

namespace atelier::lab {

// Fills in kind and parameters, and names every mistake of the table, unknown keys included. Null when the kind is missing or
// not known: then nothing more can be said of the check.
const CheckKind* readKind(TableReader& reader, CheckSpec& spec);

}  // namespace atelier::lab
