// The reference of lab.toml, course.toml and the kinds of checks, as Markdown: generated from the keys that the readers accept
// and the parameters that the kinds declare, so that it can't say anything else. labs/REFERENCE.md is the English one.
// Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace atelier::lab {

std::string reference(std::string_view language);

// Paths of figures that the reference names as examples: of a run's result ("run"), a race's ("race"), those that a profile
// has besides ("profile"), or those of a search for the largest batch ("max-batch").
const std::vector<std::string>& exampleFigures(std::string_view verb);
// Paths of names that choices can be about; those of an origin are in any run's result, the others in a profile's.
const std::vector<std::string>& exampleLists();

}  // namespace atelier::lab
