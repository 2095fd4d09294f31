"""The peer: the same training as a good Python PyTorch script does it, timed as honestly as ours. Prints one JSON object."""
import os
import time

BEGIN = time.time() - (time.clock_gettime(time.CLOCK_BOOTTIME) - float(open("/proc/self/stat").read().rsplit(")", 1)[1].split()[19]) / os.sysconf("SC_CLK_TCK"))

import argparse
import gzip
import json
import resource
import statistics

import torch
from torch import nn

FOLDER = os.environ.get("ATELIER_FASHION_MNIST") or "/usr/share/datasets/fashion-mnist"


def read(name, offset):
    with gzip.open(os.path.join(FOLDER, name)) as file:
        return torch.frombuffer(bytearray(file.read()[offset:]), dtype=torch.uint8)


def block(inputs, outputs):
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(), nn.MaxPool2d(2))


def build(name):
    if name == "mlp":
        return nn.Sequential(nn.Flatten(), nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
    if name == "cnn":
        return nn.Sequential(block(1, 32), block(32, 64), nn.Flatten(), nn.Linear(3136, 128), nn.ReLU(), nn.Linear(128, 10))
    import torchvision
    model = torchvision.models.resnet18(num_classes=10)
    model.conv1 = nn.Conv2d(1, 64, 7, 2, 3, bias=False)
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="cnn")
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--warmup", type=int, default=10)
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--fused", action="store_true")
    parser.add_argument("--threads", type=int, default=0)
    asked = parser.parse_args()
    if asked.threads:
        torch.set_num_threads(asked.threads)
    torch.manual_seed(0)
    images = read("train-images-idx3-ubyte.gz", 16).view(-1, 1, 28, 28)
    labels = read("train-labels-idx1-ubyte.gz", 8).long()
    model = build(asked.model)
    optimizer = torch.optim.AdamW(model.parameters(), fused=asked.fused)
    criterion = nn.CrossEntropyLoss()
    order = torch.randperm(len(images))
    at = 0

    def step():
        nonlocal order, at
        if at + asked.batch > len(order):
            order, at = torch.randperm(len(images)), 0
        index = order[at:at + asked.batch]
        at += asked.batch
        x = images[index].float().div_(255).sub_(0.2860).div_(0.3530)
        optimizer.zero_grad()
        loss = criterion(model(x), labels[index])
        loss.backward()
        optimizer.step()
        return loss

    for _ in range(asked.warmup):
        step()
    startup = time.time() - BEGIN
    rates = []
    for _ in range(asked.blocks):
        steps = asked.steps // asked.blocks
        begin = time.perf_counter()
        for _ in range(steps):
            loss = step()
        loss.item()
        rates.append(steps * asked.batch / (time.perf_counter() - begin))
    print(json.dumps({"samples_per_second": statistics.median(rates), "startup_milliseconds": startup * 1000,
                      "rss_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))


if __name__ == "__main__":
    main()
