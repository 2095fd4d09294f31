// completion: a script that completes verbs, flags and the values of choices, made from the same declarations.
#include <fmt/format.h>

#include "command.h"
#include "spec_arguments.h"

namespace atelier::worker {
namespace {

std::string words(const CLI::App& command) {
  std::string all;
  for (const auto* option : command.get_options())
    for (const auto& name : option->get_lnames()) all += "--" + name + " ";
  return all;
}

std::string bash(const Context& context) {
  std::string verbs, cases, values;
  for (const auto* command : context.root->get_subcommands({})) {
    verbs += command->get_name() + " ";
    cases += fmt::format("    {}) words=\"{}\";;\n", command->get_name(), words(*command));
  }
  for (const auto& option : context.schema.options()) {
    std::string choices;
    for (const auto& choice : option.choices) choices += choice + " ";
    if (option.type == wire::OptionType::Boolean) choices = "true false ";
    if (!choices.empty() && option.common) values += fmt::format("    {}) words=\"{}\";;\n", flagName(option.key), choices);
  }
  return fmt::format(R"(# Completion of atelier-engine for bash and zsh: source <(atelier-engine completion)
[ -n "${{ZSH_VERSION:-}}" ] && autoload -U +X bashcompinit && bashcompinit
_atelier_engine() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" words=""
  case "${{COMP_WORDS[1]}}" in
{1}    *) words="{0}";;
  esac
  [ "$COMP_CWORD" = 1 ] && words="{0}"
  case "$previous" in
{2}    --spec|--out) COMPREPLY=($(compgen -f -- "$current")); return;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _atelier_engine atelier-engine
)",
                     verbs, cases, values);
}

}  // namespace

Run declareCompletion(CLI::App&, Context& context) {
  return [&context] {
    const Console console(context.language, true);
    console.print(bash(context));
    return wire::ExitCode::Done;
  };
}

}  // namespace atelier::worker
