"""What profiling costs a step, in our engine and in torch.profiler with the same options (shapes, memory, module paths; in Python
the nearest is with_modules' stack), by turns in one sitting (A B B A …). A figure is the time of a step under the profiler over
the time of one without it, in the same process; no more than Python's means that the interval of ours over Python's begins at
1 or below.

    .deps/venv/bin/python tests/bench/profiling.py [--rounds 7] [--only cnn] [--engine PATH]
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
from minilm import MODEL, TOKENS

HERE = os.path.dirname(os.path.abspath(__file__))
WARMUP = 5
CASES = {"mlp": (32, 600, 100), "cnn": (64, 60, 20), "minilm": (8, 18, 6)}  # model: batch, steps without and with the profiler


def ours(engine, home, model):
    batch, steps, active = CASES[model]
    command = [engine, "profile", "--batch", str(batch), "--steps", str(steps), "--warmup", str(WARMUP), "--blocks", "6",
               "--device", "cpu", "--set", "evaluate=false", "--schedule", f"wait=1,warmup=1,active={active}", "--json"]
    if model == "minilm":
        command += ["--model", "hf:" + os.path.realpath(MODEL), "--data", "synthetic-tokens", "--set", f"length={TOKENS}"]
    else:
        command += ["--model", model, "--data", "fashion-mnist"]
    made = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
                          env={**os.environ, "ATELIER_HOME": home})
    answer = json.loads(made.stdout)
    profiled = answer["breakdown"]["wall_ns"] / answer["breakdown"]["steps"] / 1e6
    return profiled / answer["milliseconds_per_step"]["p50"]


def python(model):
    made = subprocess.run([sys.executable, os.path.abspath(__file__), "--peer", model], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True)
    return json.loads(made.stdout)["overhead"]


def training(model, batch):
    """A function that does one training step of the same model."""
    import torch
    if model == "minilm":
        import transformers
        encoder = transformers.AutoModel.from_pretrained(MODEL, add_pooling_layer=False)
        encoder.train()
        net = torch.nn.ModuleList([encoder, torch.nn.Linear(encoder.config.hidden_size, 2)])
        inputs = torch.randint(1000, 30000, (batch, TOKENS))
        labels = torch.randint(0, 2, (batch,))
        forward = lambda: net[1](encoder(inputs).last_hidden_state.mean(1))
    else:
        import peer
        net = peer.build(model)
        inputs = torch.randn(batch, 1, 28, 28)
        labels = torch.randint(0, 10, (batch,))
        forward = lambda: net(inputs)
    optimizer = torch.optim.AdamW(net.parameters())

    def step():
        loss = torch.nn.functional.cross_entropy(forward(), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def overhead(model):
    batch, steps, active = CASES[model]
    import torch
    from torch.profiler import ProfilerActivity, profile, schedule
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    step = training(model, batch)
    for _ in range(WARMUP):
        step()
    plain = []
    for _ in range(steps):
        begin = time.perf_counter()
        step()
        plain.append(time.perf_counter() - begin)
    profiled = []
    with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=1, warmup=1, active=active + 1),
                 record_shapes=True, profile_memory=True, with_modules=True) as profiler:
        for number in range(2 + active):
            begin = time.perf_counter()
            step()
            profiled.append(time.perf_counter() - begin)
            profiler.step()
    return statistics.mean(profiled[2:]) / statistics.median(plain)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only")
    parser.add_argument("--engine", default=os.path.join(HERE, "../../build/release/bin/atelier-engine"))
    parser.add_argument("--peer", metavar="MODEL", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.peer:
        print(json.dumps({"overhead": overhead(asked.peer)}))
        return
    failed = False
    print(f"{'case':10} {'Atelier':>9} {'Python':>9} {'ratio':>7} {'interval':>16}")
    with tempfile.TemporaryDirectory() as home:
        for model in CASES:
            if asked.only and asked.only != model:
                continue
            sides = by_turns(asked.rounds, lambda: ours(asked.engine, home, model), lambda: python(model))
            median, low, high = interval([a / b for a, b in zip(*sides)])
            good = low <= 1.0
            failed = failed or not good
            print(f"{model:10} {statistics.median(sides[0]):8.2f}x {statistics.median(sides[1]):8.2f}x {median:6.2f}x "
                  f"[{low:5.2f}, {high:5.2f}]{'' if good else '  above'}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
