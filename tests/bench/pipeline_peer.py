"""Our loader and Python's on the same input pipeline, by turns in one sitting (A B B A …), without a model: ratios with their
intervals. Against torch's DataLoader with 2 workers and per-sample transforms, against a pipeline of whole batches written as
well as one can (the faster of it in the main thread and in 2 workers), and against a folder of 256-pixel JPEG pictures.

    .deps/venv/bin/python tests/bench/pipeline_peer.py --ours /tmp/pipeline [--rounds 7] [--seconds 4] [--only NAME]

where /tmp/pipeline is tests/bench/pipeline.cpp, compiled as it says. Fails when a ratio is below what is wanted."""
import argparse
import glob
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from against_python import HERE, interval

BATCH, WORKERS, PAD, SIDE = 128, 2, 3, 64
CASES = {  # name: our data, augmentation, the peer's ways (the fastest counts), ratio that is wanted
    "samples": ("fashion-mnist", "standard", ["samples"], 8.0),
    "batches": ("fashion-mnist", "standard", ["batches-0", "batches-2"], 2.0),
    "jpeg": ("image-folder", "standard", ["jpeg", "jpeg-draft"], 1.5),
}


def images():
    from peer import read
    return read("train-images-idx3-ubyte.gz", 16).view(-1, 1, 28, 28), read("train-labels-idx1-ubyte.gz", 8).long()


def per_sample():
    """What most scripts do: a data set of pictures, transforms a sample, two processes."""
    import torch
    from torchvision import transforms
    pixels, labels = images()
    change = transforms.Compose([transforms.ToPILImage(), transforms.RandomCrop(28, padding=PAD), transforms.RandomHorizontalFlip(),
                                 transforms.ToTensor(), transforms.Normalize((0.2860,), (0.3530,))])

    class Pictures(torch.utils.data.Dataset):
        def __len__(self):
            return len(labels)

        def __getitem__(self, index):
            return change(pixels[index]), labels[index]

    loader = torch.utils.data.DataLoader(Pictures(), batch_size=BATCH, shuffle=True, num_workers=WORKERS, drop_last=True,
                                         persistent_workers=True)
    while True:
        yield from loader


def change_batch(x, torch):
    """Crop and mirror of bytes (N, C, H, W), whole batches at a time: one gather of bytes does both."""
    count, _, height, width = x.shape
    padded = torch.nn.functional.pad(x, (PAD,) * 4)
    down, right = torch.randint(2 * PAD + 1, (2, count, 1))
    columns = torch.arange(width).expand(count, width)
    columns = torch.where(torch.rand(count, 1) < 0.5, columns, width - 1 - columns) + right
    index = (torch.arange(height) + down)[:, :, None] * (width + 2 * PAD) + columns[:, None, :]
    flat = padded.flatten(2)
    return flat.gather(2, index.view(count, 1, -1).expand(-1, flat.shape[1], -1)).view(x.shape)


def whole_batches(workers):
    import torch
    pixels, labels = images()

    class Batches(torch.utils.data.Dataset):
        def __getitem__(self, index):
            x = change_batch(pixels[index], torch)
            return x.float().sub_(255 * 0.2860).div_(255 * 0.3530), labels[index]

    def orders():
        while True:
            yield from torch.randperm(len(labels)).split(BATCH)[:len(labels) // BATCH]

    if workers == 0:
        batches = Batches()
        return (batches[index] for index in orders())
    torch.set_num_threads(1)
    return iter(torch.utils.data.DataLoader(Batches(), batch_size=None, sampler=orders(), num_workers=workers))


def jpeg(folder, draft):
    """A folder of pictures as torchvision's ImageFolder reads it; `draft`: with libjpeg's own shrinking, as the best do."""
    import torch
    from PIL import Image
    from torchvision import datasets, transforms

    def opened(path):
        with Image.open(path) as picture:
            if draft:
                picture.draft("RGB", (SIDE, SIDE))
            return picture.convert("RGB")

    change = transforms.Compose([transforms.Resize(SIDE), transforms.CenterCrop(SIDE), transforms.RandomCrop(SIDE, padding=SIDE // 8),
                                 transforms.RandomHorizontalFlip(), transforms.ToTensor(), transforms.Normalize((0.45,) * 3, (0.23,) * 3)])
    loader = torch.utils.data.DataLoader(datasets.ImageFolder(folder, change, loader=opened), batch_size=BATCH, shuffle=True,
                                         num_workers=WORKERS, drop_last=True, persistent_workers=True)
    while True:
        yield from loader


def peer(way, folder, seconds):
    if way == "samples":
        batches = per_sample()
    elif way.startswith("batches"):
        batches = whole_batches(int(way[-1]))
    else:
        batches = jpeg(os.path.join(folder, "train"), way.endswith("draft"))
    total = 0.0
    for x, _ in itertools.islice(batches, 8):
        total += x.view(-1)[::10].sum().item()
    samples, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        x, y = next(batches)
        total += x.view(-1)[::10].sum().item()
        samples += len(y)
    return {"samples_per_second": samples / (time.perf_counter() - begin), "sum": total}


def answer(command):
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def pictures(home, engine):
    """The generated set, made by the engine's first look at it."""
    subprocess.run([engine, "run", "--data", "synthetic-pictures", "--model", "mlp", "--steps", "1", "--warmup", "0", "--set", "evaluate=false",
                    "--json"], env={**os.environ, "ATELIER_HOME": home}, stdout=subprocess.DEVNULL, check=True)
    return glob.glob(os.path.join(home, "data", "synthetic-pictures-*"))[0]


def compare(asked, name, folder):
    data, augment, ways, wanted = CASES[name]
    our_command = [asked.ours, data, augment, str(BATCH), str(WORKERS), str(SIDE), str(asked.seconds), folder]
    commands = {way: [sys.executable, os.path.abspath(__file__), "--peer", way, "--folder", folder, "--seconds", str(asked.seconds)]
                for way in ways}
    ours, theirs = [], []
    for turn in range(asked.rounds):
        for side in ([0, 1] if turn % 2 == 0 else [1, 0]):
            if side:
                theirs.append(max(answer(command)["samples_per_second"] for command in commands.values()))
            else:
                ours.append(answer(our_command)["samples_per_second"])
    median, low, high = interval([a / b for a, b in zip(ours, theirs)])
    print(f"{name:10} {statistics.median(ours):10.0f} {statistics.median(theirs):10.0f} {median:7.2f}x [{low:6.2f}, {high:6.2f}] {wanted:6.1f}x"
          f"{'' if median >= wanted else '  below'}", flush=True)
    return median >= wanted


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ours")
    parser.add_argument("--engine", default=os.path.join(HERE, "../../build/release/bin/atelier-engine"))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--only", choices=CASES)
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    parser.add_argument("--folder", default="", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.peer:
        print(json.dumps(peer(asked.peer, asked.folder, asked.seconds)), flush=True)
        os._exit(0)  # workers are left to the system: only what came before was timed
    if not asked.ours:
        parser.error("--ours is needed: the compiled tests/bench/pipeline.cpp")
    with tempfile.TemporaryDirectory() as home:
        folder = pictures(home, asked.engine)
        print(f"{'case':10} {'Atelier':>10} {'Python':>10} {'ratio':>8} {'interval':>16} {'wanted':>7}")
        good = [compare(asked, name, folder) for name in CASES if asked.only in (None, name)]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
