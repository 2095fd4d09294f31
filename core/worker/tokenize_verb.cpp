// tokenize: a text as a model's tokenizer cuts it.
#include <iterator>
#include <iostream>
#include <memory>

#include "command.h"
#include "core/engine/session/plan.h"
#include "core/pretrained/model_folder.h"

namespace atelier::worker {
namespace {

using wire::Error;
using wire::ExitCode;

struct TokenizeArguments {
  std::string model = "hf:minilm";
  std::vector<std::string> texts;
  std::int64_t max = 0;
};

nlohmann::json encoded(const pretrained::Tokenizer& tokenizer, const std::string& text, std::int64_t max) {
  pretrained::Encoding encoding;
  tokenizer.encode(text, max, encoding);
  auto tokens = nlohmann::json::array();
  for (const auto id : encoding.ids) tokens.push_back(tokenizer.token(id));
  return {{"ids", encoding.ids}, {"tokens", std::move(tokens)}, {"cut", encoding.cut}};
}

void printPlain(const Console& console, const nlohmann::json& one) {
  std::vector<std::vector<std::string>> rows{{console.text("tokenize.token"), "id"}};
  for (std::size_t i = 0; i < one["ids"].size(); ++i)
    rows.push_back({one["tokens"][i].get<std::string>(), std::to_string(one["ids"][i].get<std::int64_t>())});
  console.table(rows);
  if (one["cut"].get<bool>()) console.print(console.text("tokenize.cut"));
}

ExitCode execute(const TokenizeArguments& arguments, const Context& context) {
  const Console console(context.language, true);
  const auto fail = [&](const Error& error) {
    console.fail(error);
    return error.code;
  };
  const auto* unit = engine::findModelUnit(arguments.model);
  if (!unit || unit->prefix.empty())
    return fail({ExitCode::Usage, {"tokenize.no_tokenizer", {{"model", arguments.model}}}});
  const auto folder = engine::openFolder(arguments.model);
  if (!folder.ok()) return fail({ExitCode::Usage, folder.error().messages});
  const auto most = arguments.max > 0 ? arguments.max : (*folder)->max_tokens;
  auto texts = arguments.texts;
  if (texts.empty()) texts.emplace_back(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
  auto all = nlohmann::json::array();
  for (const auto& text : texts) all.push_back(encoded(*(*folder)->tokenizer, text, most));
  if (context.json) {
    console.printJson(all.size() == 1 ? all.front() : all);
    return ExitCode::Done;
  }
  for (const auto& one : all) printPlain(console, one);
  return ExitCode::Done;
}

}  // namespace

Run declareTokenize(CLI::App& command, Context& context) {
  auto arguments = std::make_shared<TokenizeArguments>();
  const auto texts = wire::Catalog::builtIn(context.language);
  command.add_option("--model", arguments->model, texts.text("cli.tokenize.model"))->type_name("hf:NAME|DIR");
  command.add_option("--max", arguments->max, texts.text("cli.tokenize.max"))
      ->check(CLI::Range(std::int64_t{2}, std::int64_t{1} << 20))
      ->type_name("N");
  command.add_option("text", arguments->texts, texts.text("cli.tokenize.text"))->type_name("TEXT");
  return [arguments, &context] { return execute(*arguments, context); };
}

}  // namespace atelier::worker
