#include <algorithm>

#include "command.h"

namespace atelier::worker {

std::string flagName(const std::string& key) {
  std::string name = "--" + key;
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

void declareSpec(CLI::App& command, const wire::Schema& schema, SpecArguments& arguments, const wire::Catalog& texts) {
  command.add_option("--spec", arguments.file, texts.text("cli.spec"))->type_name("FILE|-");
  command.add_option("--set", arguments.set, texts.text("cli.set"))->type_name("KEY=VALUE")->allow_extra_args(false);
  for (const auto& option : schema.options()) {
    if (!option.common) continue;
    auto help = texts.text("option." + option.key + ".help");
    if (option.type == wire::OptionType::Choice) {
      help += " (";
      for (const auto& choice : option.choices) help += (choice == option.choices.front() ? "" : ", ") + choice;
      help += ")";
    } else {
      help += " [" + wire::valueText(option, option.fallback) + "]";
    }
    const bool boolean = option.type == wire::OptionType::Boolean;
    auto* flag = command.add_option_function<std::string>(
        flagName(option.key),
        [&arguments, boolean, key = option.key](const std::string& value) {
          arguments.flags[key] = boolean && value.empty() ? "true" : value;
        },
        help);
    flag->group(texts.text("group." + option.group))->type_name("")->take_last();
    if (boolean) flag->expected(0, 1);
  }
}

}  // namespace atelier::worker
