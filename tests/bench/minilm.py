"""MiniLM in our engine and in Python's transformers, by turns in one sitting (A B B A …): ratios with their intervals.
Inference and fine-tuning on sequences of 64 tokens, and loading when its program is there (tests/bench/load_minilm.cpp).

    .deps/venv/bin/python tests/bench/minilm.py [--rounds 7] [--only infer-8] [--engine PATH] [--loader /tmp/load_minilm]
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from against_python import by_turns, interval

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL = os.path.join(os.environ.get("ATELIER_MODELS") or os.path.join(HERE, "../../.deps/models"), "minilm")
TOKENS, BLOCKS, WARMUP = 64, 5, 3
CASES = {  # name: mode, batch, steps, ratio that is wanted
    "infer-1": ("infer", 1, 200, 1.3),
    "infer-8": ("infer", 8, 40, 1.0),
    "infer-32": ("infer", 32, 15, 1.0),
    "train-1": ("train", 1, 60, 1.3),
    "train-8": ("train", 8, 15, 1.0),
    "train-32": ("train", 32, 10, 1.0),
    "load": ("load", 0, 0, 8.0),
}


def answer(command, **more):
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, **more).stdout)


def ours(asked, home, mode, batch, steps):
    """Samples a second, or loads a second."""
    if mode == "load":
        return 1000 / answer([asked.loader, os.path.realpath(MODEL)])["milliseconds"]
    command = [asked.engine, "run", "--model", "hf:" + os.path.realpath(MODEL), "--data", "synthetic-tokens",
               "--mode", mode, "--batch", str(batch), "--steps", str(steps), "--blocks", str(BLOCKS),
               "--warmup", str(WARMUP), "--device", "cpu", "--set", f"length={TOKENS}", "--set", "evaluate=false", "--json"]
    return answer(command, env={**os.environ, "ATELIER_HOME": home})["samples_per_second"]["median"]


def python(mode, batch, steps):
    return answer([sys.executable, os.path.abspath(__file__), "--peer", mode, str(batch), str(steps)])["rate"]


def peer(mode, batch, steps):
    """The same in Python, in a process of its own."""
    import torch
    import transformers
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    torch.mm(torch.ones(512, 512), torch.ones(512, 512))
    if mode == "load":
        import transformers.models.bert.modeling_bert  # the import is no part of loading
        begin = time.perf_counter()
        transformers.AutoModel.from_pretrained(MODEL, add_pooling_layer=False)
        return 1 / (time.perf_counter() - begin)
    torch.manual_seed(0)
    encoder = transformers.AutoModel.from_pretrained(MODEL, add_pooling_layer=False)
    head = torch.nn.Linear(encoder.config.hidden_size, 2)
    dropout = torch.nn.Dropout(encoder.config.hidden_dropout_prob)
    training = mode == "train"
    encoder.train(training)
    dropout.train(training)
    parameters = [*encoder.parameters(), *head.parameters()]
    optimizer = torch.optim.AdamW(parameters)
    ids = torch.randint(1000, 30000, (64, batch, TOKENS))
    labels = torch.randint(0, 2, (64, batch))
    done = 0

    def step():
        nonlocal done
        with torch.set_grad_enabled(training):
            scores = head(dropout(encoder(ids[done % 64]).last_hidden_state.mean(1)))
        if training:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(scores, labels[done % 64]).backward()
            optimizer.step()
        done += 1

    for _ in range(WARMUP):
        step()
    rates = []
    for _ in range(BLOCKS):
        begin = time.perf_counter()
        for _ in range(steps // BLOCKS):
            step()
        rates.append(steps // BLOCKS * batch / (time.perf_counter() - begin))
    return statistics.median(rates)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only")
    parser.add_argument("--engine", default=os.path.join(HERE, "../../build/release/bin/atelier-engine"))
    parser.add_argument("--loader", default="/tmp/load_minilm")
    parser.add_argument("--peer", nargs=3, metavar=("MODE", "BATCH", "STEPS"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.peer:
        mode, batch, steps = asked.peer
        print(json.dumps({"rate": peer(mode, int(batch), int(steps))}))
        return
    failed = False
    print(f"{'case':10} {'Atelier/s':>10} {'Python/s':>10} {'ratio':>7} {'interval':>16} {'wanted':>7}")
    with tempfile.TemporaryDirectory() as home:
        for name, (mode, batch, steps, wanted) in CASES.items():
            if asked.only and asked.only != name:
                continue
            if mode == "load" and not os.access(asked.loader, os.X_OK):
                print(f"{name:10} left out: {asked.loader} is not there; tests/bench/load_minilm.cpp tells how it is made")
                continue
            sides = by_turns(asked.rounds, lambda: ours(asked, home, mode, batch, steps), lambda: python(mode, batch, steps))
            median, low, high = interval([a / b for a, b in zip(*sides)])
            # "Not slower": the upper bound reaches 1; "at least x": the median does.
            good = high >= 1.0 if wanted == 1.0 else median >= wanted
            failed = failed or not good
            print(f"{name:10} {statistics.median(sides[0]):10.1f} {statistics.median(sides[1]):10.1f} {median:6.2f}x "
                  f"[{low:5.2f}, {high:5.2f}] {wanted:6.1f}x{'' if good else '  below'}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
