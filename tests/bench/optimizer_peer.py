"""Our fused AdamW and PyTorch's (fused=True) on the same tensors, by turns in one sitting (A B B A …): ratios with their intervals, of
the step alone, and of the whole that mixed precision needs: GradScaler.unscale_, clip_grad_norm_, step and update.

    .deps/venv/bin/python tests/bench/optimizer_peer.py --ours /tmp/optimizer [--threads 2] [--rounds 7] [--only resnet18-whole]

where /tmp/optimizer is tests/bench/optimizer.cpp, compiled as it says. Fails when the parameters differ, or below what is wanted."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

from against_python import interval

WANTED = {"step": 1.0, "whole": 1.5}


def resnet18():
    counts, width = [64 * 3 * 49, 64, 64], 64
    for stage in (64, 128, 256, 512):
        for block in range(2):
            counts += [stage * width * 9, stage, stage, stage * stage * 9, stage, stage]
            if width != stage:
                counts += [stage * width, stage, stage]
            width = stage
    return counts + [512 * 10, 10]


def transformer(width=256, layers=6, words=5000):
    layer = [3 * width * width, 3 * width, width * width, width, 4 * width * width, 4 * width, 4 * width * width] + [width] * 5
    return [words * width] + layer * layers + [width, width]


MODELS = {  # name: elements of each tensor, steps timed together
    "mlp": ([784 * 128, 128, 128 * 10, 10], 500),
    "many-small": ([100] * 1000, 100),
    "transformer": (transformer(), 10),
    "resnet18": (resnet18(), 5),
}
REPEATS = 7


def peer(name, way, threads):
    import torch
    torch.set_num_threads(threads)
    counts, steps = MODELS[name]
    parameters = []
    for count in counts:
        index = torch.arange(count)
        parameters.append(torch.nn.Parameter((index % 101).float() / 101 - 0.5))
        parameters[-1].grad = (index % 97).float() / 97 - 0.4
    optimizer = torch.optim.AdamW(parameters, lr=1e-3, weight_decay=0.01, fused=True)
    # A scale of 1 leaves the gradients usable for the next step; the pass over them is the same.
    scaler = torch.amp.GradScaler("cpu", init_scale=1.0, growth_interval=10 ** 9)
    scaler.scale(torch.zeros(()))  # makes its tensors

    def step():
        if way == "step":
            optimizer.step()
            return
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        scaler.step(optimizer)
        scaler.update()

    for _ in range(steps):
        step()
    total = sum(parameter.detach().double().sum().item() for parameter in parameters)
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        for _ in range(steps):
            step()
        times.append((time.perf_counter() - begin) / steps)
    return {"milliseconds": statistics.median(times) * 1e3, "sum": total}


def answer(command):
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def compare(asked, name, way):
    counts, steps = MODELS[name]
    ours, theirs = [], []
    commands = ([asked.ours, way, str(asked.threads), str(steps), str(REPEATS)] + [str(count) for count in counts],
                [sys.executable, os.path.abspath(__file__), "--peer", name, "--way", way, "--threads", str(asked.threads)])
    for turn in range(asked.rounds):
        for side in ([0, 1] if turn % 2 == 0 else [1, 0]):
            (theirs if side else ours).append(answer(commands[side]))
    apart = abs(ours[0]["sum"] - theirs[0]["sum"]) / sum(counts)
    if apart > 1e-6:
        sys.exit(f"{name}: the parameters are not the same, {apart:.2g} apart on average")
    median, low, high = interval([b["milliseconds"] / a["milliseconds"] for a, b in zip(ours, theirs)])
    mid = lambda runs: statistics.median(one["milliseconds"] for one in runs)
    print(f"{name + '-' + way:20} {mid(ours):10.3f} {mid(theirs):10.3f} {median:7.2f}x [{low:5.2f}, {high:5.2f}] {WANTED[way]:6.1f}x"
          f"{'' if median >= WANTED[way] else '  below'}", flush=True)
    return median >= WANTED[way]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ours")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only")
    parser.add_argument("--peer", choices=MODELS, help=argparse.SUPPRESS)
    parser.add_argument("--way", choices=WANTED, default="step", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.peer:
        print(json.dumps(peer(asked.peer, asked.way, asked.threads)))
        return
    if not asked.ours:
        parser.error("--ours is needed: the compiled tests/bench/optimizer.cpp")
    print(f"{'milliseconds a step':20} {'Atelier':>10} {'Python':>10} {'ratio':>8} {'interval':>14} {'wanted':>7}")
    good = [compare(asked, name, way) for name in MODELS for way in WANTED if not asked.only or asked.only == f"{name}-{way}"]
    sys.exit(0 if good and all(good) else 1)


if __name__ == "__main__":
    main()
