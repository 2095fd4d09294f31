// What is typed as the values of a sweep's axis: a list ("32, 64 128") in which a range may stand ("1..4", "0..100:25",
// "16..128*2"). Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/wire/option.h"
#include "core/wire/result.h"

namespace atelier::app {

// Values as the command line takes them. Every mistake is named: a value that the key does not take, one given twice, a range
// that has no end, more values than a sweep may have points.
wire::Result<std::vector<std::string>> axisValues(const wire::Option& option, std::string_view typed);

}  // namespace atelier::app
