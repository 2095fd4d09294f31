"""Our tokenizer and the `tokenizers` library on the rated sentences, by turns in one sitting (A B B A …), one thread each: ratios with
their intervals against its `encode_batch`, its `encode_batch_fast` (no offsets, like ours) and a loop of `encode`.

    .deps/venv/bin/python tests/bench/tokenizer.py --ours /tmp/tokenizer [--model DIR] [--sentences DIR] [--rounds 7]

where /tmp/tokenizer is tests/bench/tokenizer.cpp, compiled as it says. Fails when the ids differ, or below twice the library."""
import argparse
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from against_python import HERE, by_turns, interval

WAYS, WANTED = ("encode_batch", "encode_batch_fast", "encode"), 2.0


def read(folder):
    texts = []
    for name in sorted(glob.glob(os.path.join(folder, "*_GroundTruth.txt"))):
        with open(name, "rb") as file:
            texts += [line.rstrip(b"\r\n").split(b"\t")[2] for line in file if line.count(b"\t") >= 2]
    return texts


def peer(model, name, way, repeats):
    from tokenizers import Tokenizer
    begin = time.perf_counter()
    tokenizer = Tokenizer.from_file(os.path.join(model, "tokenizer.json"))
    opening = time.perf_counter() - begin
    tokenizer.no_padding()
    tokenizer.no_truncation()
    with open(name, encoding="utf-8", newline="\n") as file:
        texts = file.read().split("\n")[:-1]
    work = {"encode": lambda: [tokenizer.encode(text) for text in texts], "encode_batch": lambda: tokenizer.encode_batch(texts),
            "encode_batch_fast": lambda: tokenizer.encode_batch_fast(texts)}[way]
    ids, fingerprint, times = 0, 0, []
    for encoding in work():
        ids += len(encoding.ids)
        for number in encoding.ids:
            fingerprint = (fingerprint * 31 + number) % 2 ** 64
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return {"texts_per_second": len(texts) / statistics.median(times), "open_milliseconds": opening * 1e3, "ids": ids, "fingerprint": fingerprint}


def answer(command):
    environment = {**os.environ, "TOKENIZERS_PARALLELISM": "false"}
    return json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)


def compare(asked, way, texts):
    again = [sys.executable, os.path.abspath(__file__), "--peer", way, "--model", asked.model, "--texts", texts]
    ours, theirs = by_turns(asked.rounds, lambda: answer([asked.ours, asked.model, texts]), lambda: answer(again))
    if {(one["ids"], one["fingerprint"]) for one in ours + theirs} != {(ours[0]["ids"], ours[0]["fingerprint"])}:
        sys.exit("the ids are not the same")
    ratio = lambda key: interval([a[key] / b[key] for a, b in zip(ours, theirs)])
    median, low, high = ratio("texts_per_second")
    mid = lambda runs: statistics.median(one["texts_per_second"] for one in runs)
    print(f"{way:18} {mid(ours):10.0f} {mid(theirs):10.0f} {median:7.1f}x [{low:5.1f}, {high:5.1f}] {WANTED:6.1f}x "
          f"{ratio('open_milliseconds')[0]:8.2f}x{'' if median >= WANTED else '  below'}", flush=True)
    return median >= WANTED


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ours")
    parser.add_argument("--model", default=os.path.join(HERE, "../../.deps/models/minilm"))
    parser.add_argument("--sentences", default=os.path.join(HERE, "../../.deps/sentences"))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--peer", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--texts", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.peer:
        print(json.dumps(peer(asked.model, asked.texts, asked.peer, 3)))
        return
    if not asked.ours:
        parser.error("--ours is needed: the compiled tests/bench/tokenizer.cpp")
    with tempfile.TemporaryDirectory() as folder:
        texts = os.path.join(folder, "texts")
        with open(texts, "wb") as file:
            file.writelines(text.decode("utf-8", "replace").encode() + b"\n" for text in read(asked.sentences))
        print(f"{'against':18} {'Atelier':>10} {'Python':>10} {'ratio':>8} {'interval':>14} {'wanted':>7} {'opening':>9}")
        good = [compare(asked, way, texts) for way in WAYS]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
