// The command line that does an experiment again. With the schema at hand only what differs from the defaults is named;
// without it, the whole spec goes in as JSON. Texts are quoted for a POSIX shell. Numbers never follow the locale. Any thread.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "core/wire/option.h"

namespace atelier::app::report {

// `b`: variant b's spec, or the keys that differ; null or empty when there is one variant.
std::string rerunCommand(const std::string& verb, const nlohmann::json& spec, const nlohmann::json& b,
                         const std::optional<wire::Schema>& schema);

// The command over several lines, continued with a backslash before an option or a pipe, so that it can still be pasted.
std::string folded(const std::string& command, std::size_t columns);

// A value as a person types it ("512MiB", "true", "cnn").
std::string shownValue(const std::string& key, const nlohmann::json& value, const std::optional<wire::Schema>& schema);

// The keys of `b` that are not what they are in `a`.
nlohmann::json differing(const nlohmann::json& a, const nlohmann::json& b);

}  // namespace atelier::app::report
