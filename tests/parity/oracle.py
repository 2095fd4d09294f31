"""The same trainings in Python PyTorch: reads {"threads", "cases": [spec…]} from a JSON file, trains each case on the
batches that the C++ side wrote (float32 images or int64 token ids, int64 targets), prints {"traces": [[loss…]…],
"rates": [[lr…]…]}. With a "task" it does that instead: see TASKS."""
import json
import math
import sys

import torch
import torch.nn.functional as F
from torch import nn


def block(inputs, outputs):
    conv = nn.Conv2d(inputs, outputs, 3, padding=1)
    return nn.Sequential(conv, nn.BatchNorm2d(outputs), nn.ReLU(), nn.MaxPool2d(2))


class Lstm(nn.Module):
    def __init__(self, vocabulary, pad):
        super().__init__()
        self.pad = pad
        self.embedding = nn.Embedding(vocabulary, 128, padding_idx=pad)
        self.lstm = nn.LSTM(128, 256, batch_first=True)
        self.head = nn.Linear(256, 2)

    def forward(self, x):
        mask = (x != self.pad).unsqueeze(2)
        states, _ = self.lstm(self.embedding(x))
        return self.head((states * mask).sum(1) / mask.sum(1))


def build(case, classes):
    name, channels, side = case["model"], case["channels"], case["side"]
    if name == "lstm":
        return Lstm(case["vocabulary"], case["pad"])
    if name == "mlp":
        return nn.Sequential(nn.Flatten(), nn.Linear(channels * side * side, 256), nn.ReLU(), nn.Linear(256, classes))
    if name == "cnn":
        first, second = block(channels, 32), block(32, 64)
        hidden = nn.Linear(64 * (side // 4) ** 2, 128)
        return nn.Sequential(first, second, nn.Flatten(), hidden, nn.ReLU(), nn.Linear(128, classes))
    import torchvision
    return getattr(torchvision.models, name)(num_classes=classes)


def inputs_of(case, batch, steps):
    """Each step's: (N, C, H, W), or (N, T) of sequences that are all as long as the longest."""
    if "vocabulary" in case:
        return torch.from_file(case["inputs"], size=steps * batch * case["length"], dtype=torch.int64).view(steps, batch, -1)
    channels, side = case["channels"], case["side"]
    pixels = torch.from_file(case["inputs"], size=steps * batch * channels * side * side)
    return pixels.view(steps, batch, channels, side, side)


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
    torch.manual_seed(case["seed"])
    model = build(case, 10)
    if case["channels_last"]:
        model = model.to(memory_format=torch.channels_last)
    batch, steps = case["batch"], case["steps"]
    inputs = inputs_of(case, batch, steps)
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


def embed(asked):
    """What transformers makes of padded ids: the mean over each sequence's tokens."""
    import transformers
    ids = torch.tensor(asked["ids"])
    mask = ids != asked["pad"]
    model = transformers.AutoModel.from_pretrained(asked["folder"]).eval()
    with torch.no_grad():
        hidden = model(ids, attention_mask=mask.long()).last_hidden_state
    weight = mask.unsqueeze(2).float()
    return {"embeddings": ((hidden * weight).sum(1) / weight.sum(1)).tolist()}


def save_tiny(asked):
    """Writes a small random model as transformers does: config.json and model.safetensors."""
    import transformers
    torch.manual_seed(asked["seed"])
    distilled = asked["family"] == "distilbert"
    config = (transformers.DistilBertConfig if distilled else transformers.BertConfig)(**asked["config"])
    model = (transformers.DistilBertModel if distilled else transformers.BertModel)(config)
    with torch.no_grad():  # biases and norms are drawn, too: a fresh model has zeros and ones there
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter.add_(0.1 * torch.randn_like(parameter))
    model.save_pretrained(asked["folder"])
    return {}


def sequence_loss(scores, ids, targets, pad):
    if scores.dim() == 2:
        return F.cross_entropy(scores, targets)
    following = ids[:, 1:].masked_fill(ids[:, 1:] == pad, -100)
    return F.cross_entropy(scores[:, :-1].flatten(0, 1), following.flatten())


def define(asked):
    """Runs a script's definitions, writes the weights that build_model() draws, and takes some steps of SGD."""
    names = {"torch": torch, "nn": nn, "F": F, "math": math, "PAD": asked["pad"]}
    if "folder" in asked:
        import transformers
        names |= {"MODEL": asked["folder"], "AutoConfig": transformers.AutoConfig, "AutoModel": transformers.AutoModel}
    exec(asked["definitions"], names)
    torch.manual_seed(asked["seed"])
    model = names["build_model"]()
    with open(asked["weights"], "wb") as file:
        for parameter in model.parameters():
            file.write(parameter.detach().numpy().tobytes())
    parameters = [[name, parameter.numel()] for name, parameter in model.named_parameters()]
    optimizer = torch.optim.SGD(model.parameters(), asked["learning_rate"])
    ids, targets, losses = torch.tensor(asked["ids"]), torch.tensor(asked["targets"]), []
    for _ in range(asked["steps"]):
        optimizer.zero_grad()
        loss = sequence_loss(model(ids), ids, targets, asked["pad"])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return {"parameters": parameters, "losses": losses}


def checkpoint(asked):
    """Reads a checkpoint and the weights beside it as users would, and says what the model makes of some inputs."""
    from safetensors.torch import load_file
    kept = torch.load(asked["checkpoint"], weights_only=True)
    model = build(asked, 10)
    model.load_state_dict(kept["model"])
    weights = load_file(asked["weights"])
    same = weights.keys() == kept["model"].keys() and all(torch.equal(weights[name], kept["model"][name]) for name in weights)
    pixels = torch.from_file(asked["inputs"], size=asked["batch"] * asked["channels"] * asked["side"] ** 2)
    with torch.no_grad():
        scores = model.eval()(pixels.view(asked["batch"], asked["channels"], asked["side"], asked["side"]))
    plain = all(isinstance(value, (torch.Tensor, int, float, str, type(None))) for value in kept["state"].values())
    return {"scores": scores.flatten().tolist(), "step": kept["step"], "format": kept["format"], "same": same,
            "plain": plain, "spec": json.loads(kept["spec"]), "state": sorted(kept["state"])}


TASKS = {"embed": embed, "save_tiny": save_tiny, "define": define,
         "checkpoint": checkpoint}


def main():
    with open(sys.argv[1]) as file:
        asked = json.load(file)
    torch.set_num_threads(asked["threads"])
    if "task" in asked:
        print(json.dumps(TASKS[asked["task"]](asked)))
        return
    traces = [train(case) for case in asked["cases"]]
    print(json.dumps({"traces": [losses for losses, _ in traces], "rates": [rates for _, rates in traces]}))


main()
