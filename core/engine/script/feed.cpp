// How a script makes its batches.
#include "core/engine/data/order.h"
#include "parts.h"
#include "skeleton.h"

namespace atelier::engine {
namespace {

void addPinning(ScriptBuilder& script) {
  if (!script.flag("pinned")) return;
  const auto device = script.device();
  if (device == ScriptDevice::Cpu) {
    script.remark("pinned: page-locked batches serve copies to a GPU, and this run has none.");
    return;
  }
  const bool either = device == ScriptDevice::Either;
  if (script.integer("workers") > 0) {
    if (either) script.constant("PIN_MEMORY", "DEVICE.type == \"cuda\"");
    script.word("pinWorkers", either ? ", pin_memory=PIN_MEMORY" : ", pin_memory=True");
  } else {
    script.fill("toDevice", either ? "if DEVICE.type == \"cuda\":\n    x, y = x.pin_memory(), y.pin_memory()"
                                   : "x, y = x.pin_memory(), y.pin_memory()");
  }
}

void addImages(ScriptBuilder& script) {
  script.fill("pairs", "Pair = tuple[torch.Tensor, torch.Tensor]  # images and their labels");
  script.word("inputs", "images");
  script.word("Inputs", "torch.Tensor");
  // augment() is defined by the technique of that name.
  const bool augments = script.training() && script.text("augment") != "none";
  script.word("batchOfIndex", augments ? "normalise(augment(images[index], index)), labels[index]"
                                       : "normalise(images[index]), labels[index]");
  script.word("batchOfWorker", augments ? "normalise(augment(self.images[index], index)), self.labels[index]"
                                        : "normalise(self.images[index]), self.labels[index]");
  script.define(skeleton::kNormalise);
}

void addTexts(ScriptBuilder& script) {
  const bool next = script.input().next_token;
  script.require("from torch.nn.utils.rnn import pad_sequence");
  script.fill("pairs",
              "Texts = tuple[list[torch.Tensor], torch.Tensor]  # token ids of each, and the texts' labels\n"
              "Pair = tuple[torch.Tensor, torch.Tensor]  # a batch of token ids, and its targets");
  script.word("inputs", "texts");
  script.word("Inputs", "list[torch.Tensor]");
  script.word("batchOfIndex", "batch_of(texts, labels, index)");
  script.word("batchOfWorker", "batch_of(self.texts, self.labels, index)");
  script.define(next ? skeleton::kNextTokenBatch : skeleton::kTextBatch);
}

void addOrders(ScriptBuilder& script) {
  const bool dropLast = script.flag("drop_last");
  if (!script.input().tokens || !script.flag("bucket")) {
    script.word("ordered", script.input().tokens ? "len(texts)" : "len(images)");
    script.word("wholeBatches", dropLast ? "order[:count // BATCH * BATCH]" : "order");
    script.define(skeleton::kOrders);
    return;
  }
  script.constant("POOL", std::to_string(kBucketPool), "batches that are sorted by length together");
  script.word("ordered", "texts");
  if (!dropLast)
    script.fill("lastBatch",
                "if len(lengths) % BATCH:\n"
                "    yield order[len(lengths) // BATCH * BATCH:]");
  script.define(skeleton::kBucketOrders);
}

}  // namespace

void addFeed(ScriptBuilder& script) {
  if (script.input().tokens) addTexts(script);
  else addImages(script);
  addOrders(script);
  const auto workers = script.integer("workers");
  if (workers > 0) {
    script.require("from torch.utils.data import DataLoader, Dataset");
    script.constant("WORKERS", std::to_string(workers), "processes that make batches ahead (Atelier's are threads)");
    script.constant("PREFETCH", std::to_string(script.integer("prefetch")), "batches that each holds ready");
  }
  script.define(workers > 0 ? skeleton::kWorkerBatches : skeleton::kBatches);
  addPinning(script);
  if (script.device() == ScriptDevice::Cpu) return;
  script.add(Place::Model, "self.model = self.model.to(DEVICE)");
  script.fill("toDevice", "x, y = x.to(DEVICE, non_blocking=True), y.to(DEVICE, non_blocking=True)");
}

}  // namespace atelier::engine
