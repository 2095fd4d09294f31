#include "skeleton.h"

namespace atelier::engine::skeleton {

const std::string_view kScript = R"py(#!/usr/bin/env python3
@documentation@

@imports@

@constants@

@pairs@

@remarks@


@definitions@


class @Runner@:
    """@runnerHelp@"""

    def __init__(self, @inputs@: @Inputs@, labels: torch.Tensor) -> None:
        torch.manual_seed(SEED)  # equal seeds give equal weights
        self.model = build_model()
        @model@
        @optimizer@
        @optimized@
        @schedule@
        self.feed = batches(@inputs@, labels)
        self.steps = 0

    @prepare@

    @forward@

    @step@

    @evaluate@


class Report:
    """Says how the run goes: a table for people, or with --json one JSON object a line."""

    def __init__(self, as_json: bool, every_step: bool) -> None:
        self.as_json, self.every_step, self.measured = as_json, every_step, False
        self.said = -math.inf
        self.samples, self.seconds = 0, 0.0  # since the last line about steps

    def say(self, event: str, text: str | None = None, **figures: Any) -> None:
        """The text is for people, the figures are for programs."""
        if not self.as_json:
            if text is not None:
                print(text, flush=True)
            return
        # JSON has neither NaN nor infinity: they become null, and their names stand beside.
        odd = {name: json.dumps(value) for name, value in figures.items()
               if isinstance(value, float) and not math.isfinite(value)}
        if odd:
            figures |= {**dict.fromkeys(odd), "non_finite": odd}
        print(json.dumps({"event": event, **figures}), flush=True)

    def phase(self, name: str, text: str | None = None) -> None:
        self.measured = name == "measuring"
        self.say("phase", text, phase=name)

    @reportStep@


@dataclass
class Timing:
    """Some steps, timed."""

    samples: int = 0
    seconds: float = 0.0
    @timing@
    milliseconds: list[float] = field(default_factory=list)  # of each step

    @property
    def rate(self) -> float:
        return self.samples / self.seconds


@synchronise@


def run(@runner@: @Runner@, steps: int, report: Report) -> Timing:
    """Runs steps and times them@runHelp@."""
    timing = Timing()
    @beforeRun@
    begin = last = time.perf_counter()
    for _ in range(steps):
        @oneStep@
        now = time.perf_counter()
        timing.samples += samples
        timing.milliseconds.append(1000 * (now - last))
        report.step(@runner@, samples, now - last@lossArgument@)
        last = now
    @afterRun@
    timing.seconds = time.perf_counter() - begin
    @meanLoss@
    return timing


def median_interval(values: list[float]) -> tuple[float, float, float]:
    """Median, and its 95 % interval by order statistics (Conover 1999, 3.2).

    Fewer than six values can't reach 95 %: their lowest and highest are given then.
    """
    ordered, n, rank = sorted(values), len(values), 1
    term = tail = 0.5**n  # tail: P(X < rank) for X binomial (n, 1/2)
    while 2 * (rank + 1) <= n:
        term *= (n - rank + 1) / rank
        tail += term
        if 2 * tail > 0.05:
            break
        rank += 1
    return statistics.median(ordered), ordered[rank - 1], ordered[n - rank]


@evaluation@


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    parser.add_argument("--every-step", action="store_true",
                        help="with --json: a line for every step, not 20 a second")
    @arguments@
    args = parser.parse_args()
    report = Report(args.json, args.every_step)

    torch.set_num_threads(THREADS)
    @settings@
    report.say("start", torch=torch.__version__, device=@deviceText@, threads=THREADS)
    report.phase("loading")
    train, @splits@ = load_data(@loadArguments@)
    @runner@ = @Runner@(*train)

    @stopwatchBefore@
    @warmUp@

    report.phase("measuring", "block  samples/s@lossHead@")
    blocks: list[Timing] = []
    @beforeBlocks@
    for number in range(BLOCKS):
        steps = STEPS * (number + 1) // BLOCKS - STEPS * number // BLOCKS
        block = run(@runner@, steps, report)
        blocks.append(block)
        report.say("block", f"{number + 1:5}  {block.rate:9,.0f}@lossCell@", block=number,
                   steps=steps, samples=block.samples, seconds=block.seconds@lossFigure@)
        @afterBlock@
    median, low, high = median_interval([block.rate for block in blocks])

    @stopwatchAfter@
    @lastEvaluation@
    @profiling@
    times = sorted(ms for block in blocks for ms in block.milliseconds)
    p50, p90, p99 = (times[round(q * (len(times) - 1))] for q in (0.5, 0.9, 0.99))
    rss = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    @gpuPeak@
    report.say("summary", samples_per_second={"median": median, "low": low, "high": high},
               milliseconds_per_step={"p50": p50, "p90": p90, "p99": p99},
               @summaryFigures@
               steps=@runner@.steps, rss_bytes=rss)
    if not args.json:
        print(f"\nsamples per second  {median:,.0f}, 95 % interval [{low:,.0f}, {high:,.0f}]")
        print(f"milliseconds a step {p50:.2f} median, {p90:.2f} at 90 %, {p99:.2f} at 99 %")
        print(f"resident memory     {rss / 2**20:,.0f} MiB at most")
        @summaryLines@


if __name__ == "__main__":
    main()
)py";

const std::string_view kNormalise = R"py(
def normalise(pixels: torch.Tensor) -> torch.Tensor:
    return pixels.float().div(255).sub_(MEAN).div_(DEVIATION)
)py";

const std::string_view kOrders = R"py(
def orders(count: int) -> Iterator[torch.Tensor]:
    """Batch after batch, the samples to take; an epoch's order comes from its seed."""
    for epoch in itertools.count():
        generator = torch.Generator().manual_seed(SEED + epoch)
        order = torch.randperm(count, generator=generator)
        yield from @wholeBatches@.split(BATCH)
)py";

const std::string_view kBatches = R"py(
def batches(@inputs@: @Inputs@, labels: torch.Tensor) -> Iterator[Pair]:
    for index in orders(@ordered@):
        yield @batchOfIndex@
)py";

const std::string_view kWorkerBatches = R"py(
class Batches(Dataset):
    """Whole batches: the index of one is the tensor of its samples' indices."""

    def __init__(self, @inputs@: @Inputs@, labels: torch.Tensor) -> None:
        self.@inputs@, self.labels = @inputs@, labels

    def __getitem__(self, index: torch.Tensor) -> Pair:
        return @batchOfWorker@


def batches(@inputs@: @Inputs@, labels: torch.Tensor) -> Iterator[Pair]:
    loader = DataLoader(Batches(@inputs@, labels), batch_size=None, sampler=orders(@ordered@),
                        num_workers=WORKERS, prefetch_factor=PREFETCH@pinWorkers@)
    return iter(loader)
)py";

const std::string_view kPrepare = R"py(
def prepare(self, x: torch.Tensor, y: torch.Tensor) -> Pair:
    """A batch as the model takes it."""
    @toDevice@
    @batch@
    return x, y
)py";

const std::string_view kTrainingStep = R"py(
def step(self) -> tuple[torch.Tensor, int]:
    """One step; its loss, on the device still, and its number of samples."""
    x, y = @fetched@
    self.optimizer.zero_grad()
    @loss@
    @backward@
    @afterBackward@
    @beforeOptimizer@
    @optimizerStep@
    @afterStep@
    self.steps += 1
    return loss.detach(), len(y)
)py";

const std::string_view kAccumulatingStep = R"py(
def step(self) -> tuple[torch.Tensor, int]:
    """One micro-batch; its loss, on the device still, and its number of samples.

    A window of them ends in one optimizer step, the last one with the plan.
    """
    x, y = @fetched@
    if self.micro == 0:
        self.optimizer.zero_grad()
        self.counted = 0
    @loss@
    counted = @counted@
    if counted:
        @backward@
    self.micro, self.counted = self.micro + 1, self.counted + counted
    self.steps += 1
    if self.micro == ACCUMULATION or self.steps == @planEnd@:
        self.micro = 0
        if self.counted:
            self.optimize()
    return loss.detach(), len(y)

def optimize(self) -> None:
    """Ends a window: its step is that of the mean over all that it counted."""
    if self.counted != EXPECTED:
        for parameter in self.model.parameters():
            if parameter.grad is not None:
                parameter.grad *= EXPECTED / self.counted
    @afterBackward@
    @beforeOptimizer@
    @optimizerStep@
    @afterStep@
)py";

const std::string_view kInferenceStep = R"py(
@torch.no_grad()
def step(self) -> int:
    """One step forward; its number of samples."""
    x, y = @fetched@
    @scores@
    self.steps += 1
    return len(y)
)py";

const std::string_view kEvaluate = R"py(
@torch.no_grad()
def evaluate(self, @inputs@: @Inputs@, labels: torch.Tensor) -> tuple[float, float]:
    """Mean loss, and the share of right answers."""
    @beforeEvaluation@
    self.model.eval()
    loss, right = 0.0, 0
    @evaluationLoop@
        @evaluationBatch@
        scores = @scores@@flat@
        loss += F.cross_entropy(scores, y, reduction="sum").item()
        right += (scores.argmax(1) == y).sum().item()
    self.model.train()
    @leaveEvaluation@
    loss /= @answers@
    @afterEvaluation@
    return loss, right / @answers@
)py";

const std::string_view kReportStep = R"py(
def step(self, @runner@: @Runner@, samples: int, seconds: float@lossParameter@) -> None:
    """At most 20 lines a second: their time is the block's."""
    self.samples += samples
    self.seconds += seconds
    now = time.perf_counter()
    if not self.as_json or (now - self.said < 0.05 and not self.every_step):
        return
    @readLoss@
    self.say("step", step=@runner@.steps, samples=self.samples, seconds=self.seconds,
             measured=self.measured@stepFigures@)
    self.said, self.samples, self.seconds = now, 0, 0.0
)py";

const std::string_view kSynchronise = R"py(
def synchronise() -> None:
    """Waits until the device has done all that it was asked."""
    if DEVICE.type == "cuda":
        torch.cuda.synchronize(DEVICE)
)py";

const std::string_view kEvaluation = R"py(
def evaluate(trainer: Trainer, @split@: @Split@, report: Report) -> float:
    """The share of right answers@evaluationHelp@."""
    report.phase("evaluating")
    loss, accuracy = trainer.evaluate(*@split@)
    report.say("epoch", epoch=trainer.steps // STEPS_PER_EPOCH, step=trainer.steps,
               samples=@answersOfSplit@, loss=loss, accuracy=accuracy)
    return accuracy
)py";

const std::string_view kEpochEnd = R"py(
epoch = trainer.steps // STEPS_PER_EPOCH
if epoch > evaluated and number + 1 < BLOCKS:
    evaluate(trainer, @between@, report)
    evaluated = epoch
    run(trainer, @settleSteps@, report)  # back to the pace of training; not counted
    report.phase("measuring")
)py";

}  // namespace atelier::engine::skeleton
