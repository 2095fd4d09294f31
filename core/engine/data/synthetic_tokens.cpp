// synthetic-tokens: 4,096 training and 1,024 evaluation sequences of exactly `length` token ids of the model's vocabulary.
// Most say nothing; some are of two planted groups, and the label is the group that has more (a tie counts as the first's), so
// that a model learns something and its accuracy means something. Made from the seed.
#include <algorithm>
#include <random>

#include "core/engine/script/builder.h"
#include "core/engine/script/tokens.h"
#include "text_dataset.h"

namespace atelier::engine {
namespace {

constexpr std::int64_t kTrain = 4096, kEvaluation = 1024;
constexpr std::uint32_t kSeedMask = 0x70ce;
// Of 16 tokens four are of the favoured group, two of the other, ten of none.
constexpr std::uint32_t kKinds = 16, kFavoured = 4, kPlanted = 6;
// One draw says a token's kind and its number; below 2²⁸ PyTorch's randint is a plain remainder too.
constexpr std::uint32_t kDraws = 1U << 27;

// A vocabulary without its padding: two groups, then the rest. Three ids at least.
struct Vocabulary {
  explicit Vocabulary(const InputShape& shape)
      : ids(static_cast<std::uint32_t>(shape.vocabulary - 1)), group(std::min<std::uint32_t>(16, ids / 3)), pad(shape.pad) {}
  std::uint32_t ids, group;
  std::int64_t pad;
};

TokenSet makeSet(const Vocabulary& words, std::int64_t count, std::int64_t length, std::mt19937& generator) {
  TokenSet set;
  set.ids.reserve(static_cast<std::size_t>(count * length));
  std::vector<std::int32_t> sequence(static_cast<std::size_t>(length));
  for (std::int64_t i = 0; i < count; ++i) {
    const auto favoured = generator() % 2;
    std::int64_t seen[2] = {};
    for (auto& id : sequence) {
      const auto draw = generator() % kDraws;
      const auto kind = draw % kKinds, number = draw / kKinds;
      const auto group = kind < kFavoured ? favoured : 1 - favoured;
      if (kind < kPlanted) ++seen[group];
      id = static_cast<std::int32_t>(kind < kPlanted ? words.group * group + number % words.group
                                                     : 2 * words.group + number % (words.ids - 2 * words.group));
      if (id >= words.pad) ++id;
    }
    set.add(sequence, seen[1] > seen[0] ? 1 : 0);
  }
  return set;
}

wire::Result<std::shared_ptr<const Dataset>> load(const DataRequest& request) {
  auto shape = tokenShape(request);
  shape.vocabulary = std::max<std::int64_t>(4, shape.vocabulary);
  const Vocabulary words(shape);
  std::mt19937 generator(static_cast<std::uint32_t>(request.seed) ^ kSeedMask);
  TextDataset::Sets sets;
  sets[static_cast<std::size_t>(Split::Train)] = makeSet(words, kTrain, shape.length, generator);
  sets[static_cast<std::size_t>(Split::Test)] = makeSet(words, kEvaluation, shape.length, generator);
  return std::shared_ptr<const Dataset>(std::make_shared<TextDataset>("synthetic-tokens", shape, std::move(sets)));
}

// PyTorch's CPU generator is the same Mersenne Twister, and randint() below 2**28 takes one of its draws modulo the bound.
constexpr std::string_view kPython = R"py(
def load_data() -> list[Texts]:
    """Sequences of LENGTH token ids and their labels: to train on, and to test on.

    Most tokens say nothing; some are of two groups, and the label is the group that has more.
    """
    generator = torch.Generator().manual_seed(SEED ^ 0x70CE)

    def sequence() -> tuple[torch.Tensor, int]:
        favoured = torch.randint(2, (), generator=generator)
        draws = torch.randint(1 << 27, (LENGTH,), generator=generator)
        kind, number = draws % 16, draws // 16
        group, planted = torch.where(kind < 4, favoured, 1 - favoured), kind < 6
        ids = torch.where(planted, GROUP * group + number % GROUP,
                          2 * GROUP + number % (VOCABULARY - 1 - 2 * GROUP))
        second, all_planted = (planted * group).sum(), planted.sum()
        return ids + (ids >= PAD), int(2 * second > all_planted)

    def split(count: int) -> Texts:
        made = [sequence() for _ in range(count)]
        return [ids for ids, _ in made], torch.tensor([label for _, label in made])

    return [split(@train@), split(@evaluation@)]
)py";

DataFacts script(ScriptBuilder& script) {
  auto shape = addTokens(script, TokensFrom::Nothing);
  shape.vocabulary = std::max<std::int64_t>(4, shape.vocabulary);
  script.constant("VOCABULARY", std::to_string(shape.vocabulary), "token ids");
  script.constant("GROUP", std::to_string(Vocabulary(shape).group), "tokens that tell of a label");
  script.define(withValues(kPython, {{"train", kTrain}, {"evaluation", kEvaluation}}));
  return {shape, kTrain, kEvaluation};
}

}  // namespace

DataUnit data_synthetic_tokens() {
  return {"synthetic-tokens", true, load, script, InputKind::Tokens};
}

}  // namespace atelier::engine
