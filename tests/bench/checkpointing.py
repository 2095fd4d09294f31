"""What checkpointing saves and costs on the transformer, in our engine and with torch.utils.checkpoint around the same layers, by
turns in one sitting (A B B A …). Time is that of a step with it over that of one without, in one process each, by blocks in
mirrored order; wanted is at most 1.35. Memory is that of the activations at the highest total, of which half must go; Python has
no count of a CPU's tensors, so its figure is what autograd keeps at the end of forward.

    .deps/venv/bin/python tests/bench/checkpointing.py [--rounds 7] [--engine PATH]
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
BATCH, TOKENS, BLOCKS, STEPS = 32, 128, 8, 2  # steps of a block
MOST_TIME, LEAST_SAVED = 1.35, 0.5


def ours(engine, home):
    command = [engine, "race", "--model", "transformer", "--data", "synthetic-tokens", "--batch", str(BATCH), "--device", "cpu",
               "--steps", str(BLOCKS * STEPS), "--warmup", "3", "--blocks", str(BLOCKS), "--set", f"length={TOKENS}",
               "--set", "evaluate=false", "--b", "checkpointing=every:1", "--json"]
    made = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
                          env={**os.environ, "ATELIER_HOME": home})
    answer = json.loads(made.stdout)
    kept, left = (answer[side]["peak_memory_bytes"]["activations"] for side in "ab")
    return {"time": 1 / answer["ratio"]["median"], "saved": 1 - left / kept}


def python():
    made = subprocess.run([sys.executable, os.path.abspath(__file__), "--peer"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True)
    return json.loads(made.stdout)


def peer():
    import torch
    from torch import nn
    from torch.utils.checkpoint import checkpoint
    torch.set_num_threads(len(os.sched_getaffinity(0)))

    class Classifier(nn.Module):
        def __init__(self, saves):
            super().__init__()
            self.saves = saves
            self.embedding = nn.Embedding(30522, 128)
            self.layers = nn.ModuleList(
                nn.TransformerEncoderLayer(128, 4, 512, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
                for _ in range(4))
            self.norm, self.head = nn.LayerNorm(128), nn.Linear(128, 2)

        def forward(self, x):
            hidden = self.embedding(x)
            for layer in self.layers:
                hidden = checkpoint(layer, hidden, use_reentrant=False) if self.saves else layer(hidden)
            return self.head(self.norm(hidden).mean(1))

    models = [Classifier(saves) for saves in (False, True)]
    optimizers = [torch.optim.AdamW(model.parameters()) for model in models]
    inputs, labels = torch.randint(5, 30522, (BATCH, TOKENS)), torch.randint(0, 2, (BATCH,))

    def block(side, steps):
        begin = time.perf_counter()
        for _ in range(steps):
            optimizers[side].zero_grad()
            nn.functional.cross_entropy(models[side](inputs), labels).backward()
            optimizers[side].step()
        return time.perf_counter() - begin

    def kept(side):
        """Bytes that autograd holds when forward is through; a storage counts once, the model's own not at all."""
        known, bytes_kept = {p.untyped_storage().data_ptr() for p in models[side].parameters()}, 0

        def pack(tensor):
            nonlocal bytes_kept
            storage = tensor.untyped_storage()
            if storage.data_ptr() not in known:
                known.add(storage.data_ptr())
                bytes_kept += storage.nbytes()
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            output = models[side](inputs)
        del output
        return bytes_kept

    for side in (0, 1):
        block(side, 3)
    times = ([], [])
    for number in range(BLOCKS):
        for side in (0, 1) if number % 2 == 0 else (1, 0):
            times[side].append(block(side, STEPS))
    plain, saving = kept(0), kept(1)
    print(json.dumps({"time": statistics.median(b / a for a, b in zip(*times)), "saved": 1 - saving / plain}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--engine", default=os.path.join(HERE, "../../build/release/bin/atelier-engine"))
    parser.add_argument("--peer", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.peer:
        peer()
        return
    with tempfile.TemporaryDirectory() as home:
        sides = by_turns(asked.rounds, lambda: ours(asked.engine, home), python)
    print(f"{'':8} {'time':>6} {'interval':>14} {'saved':>7}")
    for name, side in zip(("Atelier", "Python"), sides):
        median, low, high = interval([one["time"] for one in side])
        saved = statistics.median(one["saved"] for one in side)
        print(f"{name:8} {median:5.2f}x [{low:4.2f}, {high:5.2f}] {saved:6.1%}")
    good = (statistics.median(one["time"] for one in sides[0]) <= MOST_TIME
            and statistics.median(one["saved"] for one in sides[0]) >= LEAST_SAVED)
    print(f"wanted: at most {MOST_TIME}x, at least {LEAST_SAVED:.0%} saved: {'yes' if good else 'no'}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
