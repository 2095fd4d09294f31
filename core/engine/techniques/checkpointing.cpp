// checkpointing: blocks of the model (Module::isBlock) keep no activations but their inputs; backward computes the others again
// (module/recompute.h). `every:K` makes segments of K blocks, as torch.utils.checkpoint.checkpoint_sequential does, of all
// blocks: K blocks' activations stand at once, and one input a segment is kept. No segment reaches over the border of a row of
// blocks (a stage of a ResNet). `auto` with a memory budget measures the blocks in the first window of micro-batches, in which
// all of them are recomputed, and then recomputes the fewest that fit; a batch larger than all before it is measured anew.
// Without a budget, or on a GPU, whose memory isn't counted here, it makes about √n segments of n blocks.
// Whatever is chosen, the gradients are the same to the bit.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/models/model.h"
#include "core/engine/module/block_meter.h"
#include "core/engine/module/segments.h"
#include "core/engine/module/series.h"
#include "core/engine/script/builder.h"
#include "core/wire/number.h"
#include "technique.h"

namespace atelier::engine {
namespace {

constexpr std::string_view kEvery = "every:";

// K of "every:K"; nullopt: it says something else.
std::optional<std::int64_t> everyOf(const std::string& asked) {
  if (!asked.starts_with(kEvery)) return std::nullopt;
  const auto every = wire::parseInteger(std::string_view(asked).substr(kEvery.size()));
  return every && *every >= 1 ? every : std::nullopt;
}

std::string mebibytes(std::int64_t bytes) {
  return std::to_string((bytes + (1 << 19)) >> 20);
}

// While all blocks are measured: short segments where a block holds much beside its input, as it does when it has many parts.
std::size_t measuredSegment(const std::vector<BlockRow>& rows, std::size_t blocks) {
  std::size_t parts = 0;
  for (const auto& module : rows.front().series->parts().at(rows.front().first).second->modules())
    parts += module->children().empty() ? 1 : 0;
  const double every = std::sqrt(static_cast<double>(blocks) / static_cast<double>(std::max<std::size_t>(1, parts)));
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(every)));
}

bool anyTrained(const std::vector<BlockRow>& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const BlockRow& row) {
    const auto& parts = row.series->parts();
    return std::any_of(parts.begin() + static_cast<std::ptrdiff_t>(row.first),
                       parts.begin() + static_cast<std::ptrdiff_t>(row.first + row.count),
                       [](const auto& part) { return !trainableParameters(*part.second).empty(); });
  });
}

class Checkpointing final : public Technique {
 public:
  // `budget`: to measure for; 0: none.
  Checkpointing(const TechniqueContext& context, std::int64_t budget)
      : m_asked(context.spec.text("checkpointing")),
        m_model(context.spec.text("model")),
        m_budget(budget),
        m_notices(context.notices),
        m_say(context.say) {}

  void prepareModel(Module& model) override {
    m_rows = blockRows(model);
    for (const auto& row : m_rows) m_counts.push_back(row.count);
    if (m_rows.empty()) return m_notices.push_back({"checkpointing.no_blocks", {{"model", m_model}}});
    if (!anyTrained(m_rows)) {
      m_rows.clear();
      return m_notices.push_back({"checkpointing.frozen"});
    }
    m_blocks = m_rows.back().number + m_rows.back().count;
    m_root = &model;
    if (measures()) return;
    const auto every = everyOf(m_asked);
    const auto length = every ? static_cast<std::size_t>(*every) : squareRootSegment(m_blocks);
    use(evenSpans(m_counts, m_blocks, length));
    sayEven(every ? "checkpointing.every" : "checkpointing.square_root");
  }

  void prepareBatch(Batch& batch) override {
    if (!measures() || !m_root->is_training()) return;
    auto* account = TensorMemory::account();
    if (!account) return;
    if (batch.input.numel() > m_largest) {
      m_largest = batch.input.numel();
      const auto spans = evenSpans(m_counts, m_blocks, measuredSegment(m_rows, m_blocks));
      // Segments know their meter: those of the former go first.
      use({});
      m_meter = std::make_unique<BlockMeter>(*account, spans);
      use(spans);
    }
    if (!m_meter) return;
    m_before = account->live();
    m_meter->begin();
  }

  void afterStep(StepState& state) override {
    // Gradients and the optimizer's state are all there after a whole window.
    if (!m_meter || !state.window_end || state.skip || !m_meter->complete()) return;
    const auto now = TensorMemory::account()->live();
    auto costs = m_meter->costs();
    // What stays from step to step and was not there in this one. Gradients don't: they are let go before the forward pass.
    const auto stays = now.total - now.gradients - (m_before.total - m_before.gradients);
    costs.head += stays;
    costs.base += stays;
    const auto choice = chooseSegments(costs, m_counts, m_budget);
    m_meter.reset();
    use(choice.spans);
    if (m_say) sayChosen(choice);
  }

 private:
  bool measures() const { return m_budget > 0 && !m_rows.empty(); }

  void use(std::vector<BlockSpan> spans) {
    std::map<Series*, std::vector<Series::Span>> all;
    for (const auto& row : m_rows) {
      auto& own = all[row.series];
      for (const auto& span : spans)
        if (span.first >= row.number && span.end <= row.number + row.count)
          own.push_back({span.first - row.number + row.first, span.end - row.number + row.first, span.first});
    }
    for (const auto& [series, own] : all) series->recompute(own, m_meter.get());
    m_spans = std::move(spans);
  }

  void sayEven(const std::string& id) {
    const auto blocks = std::to_string(m_blocks), segments = std::to_string(m_spans.size());
    if (m_spans.size() == 1) m_notices.push_back({"checkpointing.one_segment", {{"blocks", blocks}}});
    else m_notices.push_back({id, {{"blocks", blocks}, {"segments", segments}}});
  }

  void sayChosen(const SegmentChoice& choice) {
    const std::vector<std::pair<std::string, std::string>> args{{"recomputed", std::to_string(choice.recomputed)},
                                                                {"blocks", std::to_string(m_blocks)},
                                                                {"segments", std::to_string(choice.spans.size())},
                                                                {"peak", mebibytes(choice.peak)},
                                                                {"budget", mebibytes(m_budget)}};
    if (choice.peak <= m_budget) m_say(wire::Noticed{{"checkpointing.chosen", args}, "info"});
    else m_say(wire::Noticed{{"checkpointing.nothing_fits", args}, "warning"});
  }

  const std::string m_asked, m_model;
  const std::int64_t m_budget;
  std::vector<wire::Message>& m_notices;
  const Say& m_say;
  Module* m_root = nullptr;
  std::vector<BlockRow> m_rows;
  std::vector<std::size_t> m_counts;  // of each row
  std::size_t m_blocks = 0;
  std::vector<BlockSpan> m_spans;
  std::unique_ptr<BlockMeter> m_meter;  // null: not measuring
  std::int64_t m_largest = 0;           // values of the largest batch so far
  wire::MemoryBytes m_before;           // live when the measured step's batch was there
};

std::unique_ptr<Technique> make(const TechniqueContext& context) {
  const auto& spec = context.spec;
  const auto& asked = spec.text("checkpointing");
  if (asked == "off") return nullptr;
  if (spec.text("mode") != "train") {
    context.notices.push_back({"checkpointing.no_backward"});
    return nullptr;
  }
  const bool counted = asked == "auto" && context.device.is_cpu();
  return std::make_unique<Checkpointing>(context, counted ? spec.integer("memory_budget") : 0);
}

wire::Status validate(const wire::RunSpec& spec) {
  const auto& asked = spec.text("checkpointing");
  if (asked.starts_with(kEvery) && !everyOf(asked))
    return wire::Error{wire::ExitCode::Usage, {"checkpointing.bad_segment", {{"given", asked}}}};
  return wire::success();
}

constexpr std::string_view kSegmentPython = R"py(
class Segment:
    """Blocks that keep no activations: backward computes them again, from the first's input."""

    def __init__(self, blocks: list[nn.Module]) -> None:
        self.blocks = blocks
        self.forwards = [block.forward for block in blocks]

    def run(self, x: torch.Tensor, **options: Any) -> torch.Tensor:
        for forward in self.forwards:
            x = forward(x, **options)
        return x

    @segmentContexts@

    def __call__(self, x: torch.Tensor, **options: Any) -> torch.Tensor:
        return checkpoint(self.run, x, use_reentrant=False@checkpointContexts@, **options)


def passed(x: torch.Tensor, **options: Any) -> torch.Tensor:
    """The forward of a block that the first one of its segment has run already."""
    return x


def checkpoint_blocks(rows: list[Any], every: int) -> None:
    """Segments of so many blocks; none reaches from one row into the next."""
    for row in rows:
        blocks = list(row)
        for first in range(0, len(blocks), every):
            segment = blocks[first:first + every]
            segment[0].forward = Segment(segment)
            for block in segment[1:]:
                block.forward = passed
)py";

constexpr std::string_view kStatisticsPython = R"py(
@contextlib.contextmanager
def statistics_kept(blocks: list[nn.Module]) -> Iterator[None]:
    """Batch norms counted the batch when it came first: recomputed, it leaves them alone."""
    norms = [module for block in blocks for module in block.modules()
             if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d))]
    momenta = [norm.momentum for norm in norms]
    for norm in norms:
        norm.momentum = 0.0
    try:
        yield
    finally:
        for norm, momentum in zip(norms, momenta):
            norm.momentum = momentum
)py";

void scriptBlocks(ScriptBuilder& script, const std::string& rows, std::optional<std::int64_t> every) {
  script.require("from torch.utils.checkpoint import checkpoint");
  if (!script.input().tokens) {
    script.require("import contextlib");
    script.define(kStatisticsPython);
    script.fill("segmentContexts",
                "def contexts(self) -> tuple[Any, Any]:\n"
                "    return contextlib.nullcontext(), statistics_kept(self.blocks)");
    script.word("checkpointContexts", ", context_fn=self.contexts");
  }
  script.define(kSegmentPython);
  std::string lines = "rows = " + rows + "\n";
  if (every) {
    script.constant("CHECKPOINT_BLOCKS", std::to_string(*every), "of a segment that backward computes again");
    lines += "checkpoint_blocks(rows, CHECKPOINT_BLOCKS)";
  } else {
    lines +=
        "blocks = sum(len(row) for row in rows)\n"
        "# As many segments as blocks in each.\n"
        "checkpoint_blocks(rows, math.ceil(blocks / max(2, round(math.sqrt(blocks)))))";
  }
  script.add(Place::Model, lines);
}

void script(ScriptBuilder& script) {
  if (!script.training()) return;
  const auto& asked = script.text("checkpointing");
  if (asked == "off") return;
  const auto every = everyOf(asked);
  const auto* model = findModelUnit(script.text("model"));
  if (model && !model->prefix.empty()) {
    if (every.value_or(0) != 1) script.remark("checkpointing: the transformers library recomputes layer by layer.");
    script.add(Place::Model, "self.model.encoder.activation_checkpointing_enable({\"use_reentrant\": False})");
    return;
  }
  if (!model || model->python_blocks.empty()) {
    script.remark("checkpointing: this model has no blocks to recompute.");
    return;
  }
  if (!every && script.integer("memory_budget") > 0)
    script.remark(
        "checkpointing: the native engine measures the blocks and recomputes the fewest that fit\n"
        "memory_budget; this script makes as many segments as each has blocks.");
  scriptBlocks(script, model->python_blocks, every);
}

}  // namespace

TechniqueUnit technique_checkpointing() {
  auto option = wire::choiceOption("checkpointing", {"off", "auto", "every:1", "every:2"});
  option.prefixes = {std::string(kEvery)};
  option.group = "memory";
  option.common = true;
  return {"checkpointing", 17, {option}, make, script, nullptr, validate};
}

}  // namespace atelier::engine
