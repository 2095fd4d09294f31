// The arguments that say what to run: --spec, a flag for every common key, --set. Shared by every verb that runs a spec.
// What is named later wins: the file's keys, over them the flags, over them --set. Main thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "core/wire/catalog.h"
#include "core/wire/option.h"
#include "core/wire/result.h"
#include "core/wire/run_spec.h"
#include "input.h"

namespace atelier::worker {

struct SpecArguments {
  std::string file;  // "-": standard input
  std::map<std::string, std::string> flags;
  std::vector<std::string> set;
};

// REQUIRES: `arguments` outlives the command.
void declareSpec(CLI::App& command, const wire::Schema& schema, SpecArguments& arguments, const wire::Catalog& texts);

// "learning_rate" → "--learning-rate".
std::string flagName(const std::string& key);

// The keys that the arguments name, not yet checked as a whole; mistakes in flags and words are added to `mistakes`. Fails
// where the file, or standard input, holds no JSON object.
wire::Result<nlohmann::json> specKeys(const wire::Schema& schema, const SpecArguments& arguments, Input& input,
                                      wire::Error& mistakes);

// Puts "key=value" words over a spec's keys; every mistake is added to `mistakes`.
void assignWords(const wire::Schema& schema, nlohmann::json& keys, const std::vector<std::string>& words,
                 wire::Error& mistakes);

void addMistakes(wire::Error& mistakes, const wire::Error& more);

// All of it, as the spec of one run; every mistake is named.
wire::Result<wire::RunSpec> readSpec(const wire::Schema& schema, const SpecArguments& arguments, Input& input);

}  // namespace atelier::worker
