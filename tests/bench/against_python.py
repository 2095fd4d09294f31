"""Our engine and Python PyTorch on the same work, by turns in one sitting (A B B A …): ratios with their intervals.

    .deps/venv/bin/python tests/bench/against_python.py [--rounds 7] [--only mlp-32-fused] [--engine PATH]
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = {  # name: model, batch, steps, fused, ratio that is wanted
    "mlp-32": ("mlp", 32, 2000, False, 1.0),
    "mlp-32-fused": ("mlp", 32, 2000, True, 1.7),
    "mlp-128": ("mlp", 128, 1000, False, 1.0),
    "cnn-32": ("cnn", 32, 200, False, 1.0),
    "cnn-128": ("cnn", 128, 60, False, 1.0),
    "resnet18-32": ("resnet18", 32, 30, False, 1.0),
    "resnet18-128": ("resnet18", 128, 10, False, 1.0),
}


def ours(engine, home, model, batch, steps, fused):
    command = [engine, "run", "--model", model, "--batch", str(batch), "--steps", str(steps), "--device", "cpu", "--set", "evaluate=false", "--json"]
    if fused:
        command.append("--fused")
    done = subprocess.run(command, env={**os.environ, "ATELIER_HOME": home}, stdout=subprocess.PIPE, check=True)
    result = json.loads(done.stdout)
    return {"samples_per_second": result["samples_per_second"]["median"], "startup_milliseconds": result["startup_milliseconds"], "rss_bytes": result["rss_bytes"]}


def python(model, batch, steps, fused):
    command = [sys.executable, os.path.join(HERE, "peer.py"), "--model", model, "--batch", str(batch), "--steps", str(steps)]
    return json.loads(subprocess.run(command + (["--fused"] if fused else []), stdout=subprocess.PIPE, check=True).stdout)


def by_turns(rounds, ours, theirs):
    """What two sides answer, by turns: A B B A …; two lists, of which those at one place are a pair."""
    sides = ([], [])
    for turn in range(rounds):
        for side in ([0, 1] if turn % 2 == 0 else [1, 0]):
            sides[side].append(theirs() if side else ours())
    return sides


def interval(values):
    """Median, and the order statistics that cover it 95 times in 100 (lowest and highest below six values)."""
    values = sorted(values)
    n, rank = len(values), 1
    coverage = lambda k: 1 - 2 * sum(math.comb(n, i) for i in range(k)) / 2 ** n
    while 2 * (rank + 1) <= n and coverage(rank + 1) >= 0.95:
        rank += 1
    return statistics.median(values), values[rank - 1], values[n - rank]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only")
    parser.add_argument("--engine", default=os.path.join(HERE, "../../build/release/bin/atelier-engine"))
    asked = parser.parse_args()
    failed = False
    print(f"{'case':14} {'Atelier':>10} {'Python':>10} {'ratio':>7} {'interval':>16} {'wanted':>7} {'start-up':>9} {'RSS':>6}")
    with tempfile.TemporaryDirectory() as home:
        for name, (model, batch, steps, fused, wanted) in CASES.items():
            if asked.only and asked.only != name:
                continue
            a, b = by_turns(asked.rounds, lambda: ours(asked.engine, home, model, batch, steps, fused),
                            lambda: python(model, batch, steps, fused))
            ratio = lambda key: [x[key] / y[key] for x, y in zip(a, b)]
            median, low, high = interval(ratio("samples_per_second"))
            # "Not slower": the upper bound reaches 1; "at least x": the median does.
            good = high >= 1.0 if wanted == 1.0 else median >= wanted
            failed = failed or not good
            mid = lambda runs: statistics.median(r["samples_per_second"] for r in runs)
            print(f"{name:14} {mid(a):10.0f} {mid(b):10.0f} {median:6.2f}x [{low:5.2f}, {high:5.2f}] {wanted:6.1f}x "
                  f"{interval(ratio('startup_milliseconds'))[0]:8.2f}x {interval(ratio('rss_bytes'))[0]:5.2f}x{'' if good else '  below'}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
