"""The same trainings in Python PyTorch: reads {"threads", "cases": [spec…]} from a JSON file, trains each case on the
batches that the C++ side wrote (float32 inputs, int64 targets), prints {"traces": [[loss…]…], "rates": [[lr…]…]}."""
import json
import sys

import torch
from torch import nn


def block(inputs, outputs):
    conv = nn.Conv2d(inputs, outputs, 3, padding=1)
    return nn.Sequential(conv, nn.BatchNorm2d(outputs), nn.ReLU(), nn.MaxPool2d(2))


def build(name, channels, side, classes):
    if name == "mlp":
        return nn.Sequential(nn.Flatten(), nn.Linear(channels * side * side, 256), nn.ReLU(), nn.Linear(256, classes))
    if name == "cnn":
        first, second = block(channels, 32), block(32, 64)
        hidden = nn.Linear(64 * (side // 4) ** 2, 128)
        return nn.Sequential(first, second, nn.Flatten(), hidden, nn.ReLU(), nn.Linear(128, classes))
    import torchvision
    return torchvision.models.resnet18(num_classes=classes)


def optimizer_of(case, parameters):
    rate, decay, fused = case["learning_rate"], case["weight_decay"], case["fused"]
    if case["optimizer"] == "sgd":
        return torch.optim.SGD(parameters, rate, momentum=case["momentum"], weight_decay=decay, fused=fused)
    kind = torch.optim.AdamW if case["optimizer"] == "adamw" else torch.optim.Adam
    return kind(parameters, rate, weight_decay=decay, fused=fused)


def schedule_of(case, optimizer, steps):
    if case["schedule"] == "cosine":
        return torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    if case["schedule"] == "one-cycle":
        return torch.optim.lr_scheduler.OneCycleLR(optimizer, case["learning_rate"], steps, cycle_momentum=False)
    return None


def train(case):
    channels, side = case["channels"], case["side"]
    torch.manual_seed(case["seed"])
    model = build(case["model"], channels, side, 10)
    if case["channels_last"]:
        model = model.to(memory_format=torch.channels_last)
    batch, steps = case["batch"], case["steps"]
    inputs = torch.from_file(case["inputs"], size=steps * batch * channels * side * side).view(steps, batch, channels, side, side)
    targets = torch.from_file(case["targets"], size=steps * batch, dtype=torch.int64).view(steps, batch)
    optimizer = optimizer_of(case, model.parameters())
    schedule = schedule_of(case, optimizer, steps)
    criterion = nn.CrossEntropyLoss(label_smoothing=case["label_smoothing"])
    losses, rates = [], []
    for x, y in zip(inputs, targets):
        if case["channels_last"]:
            x = x.contiguous(memory_format=torch.channels_last)
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=case["precision"] == "bf16"):
            scores = model(x)
        loss = criterion(scores.float(), y)
        loss.backward()
        if case["clip_norm"] > 0:
            nn.utils.clip_grad_norm_(model.parameters(), case["clip_norm"])
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        if schedule:
            schedule.step()
        losses.append(loss.item())
    return losses, rates


def main():
    with open(sys.argv[1]) as file:
        asked = json.load(file)
    torch.set_num_threads(asked["threads"])
    traces = [train(case) for case in asked["cases"]]
    print(json.dumps({"traces": [losses for losses, _ in traces], "rates": [rates for _, rates in traces]}))


main()
