// The class of a script that holds the model.
#include <algorithm>

#include "parts.h"
#include "skeleton.h"

namespace atelier::engine {
namespace {

// forward(): the model's call inside what techniques put around it.
void addForward(ScriptBuilder& script) {
  std::string text = std::string("def forward(self, x: torch.Tensor) -> torch.Tensor:\n    \"\"\"The scores of the ") +
                     (script.input().next_token ? "tokens" : "classes") + ", in float32.\"\"\"\n";
  std::string indent = "    ";
  for (const auto& with : script.around()) {
    text += indent + with + "\n";
    indent += "    ";
  }
  script.fill("forward", text + indent + "scores = self.model(x)\n    return scores.float()");
}

// What is counted: samples, or tokens that another one follows.
std::string answersOf(const ScriptBuilder& script, const std::string& split) {
  return script.input().next_token ? "followed(" + split + "[0])" : "len(" + split + "[1])";
}

void addImageEvaluation(ScriptBuilder& script, bool prepared) {
  script.fill("evaluationLoop", "for pixels, y in zip(images.split(EVALUATION_BATCH), labels.split(EVALUATION_BATCH)):");
  script.fill("evaluationBatch", prepared ? "x, y = self.prepare(normalise(pixels), y)" : "x = normalise(pixels)");
  script.word("answers", "len(labels)");
  script.word("Split", "Pair");
  script.word("split", "test");
  script.word("evaluationHelp", " on the test images");
}

void addTextEvaluation(ScriptBuilder& script, bool prepared) {
  const bool next = script.input().next_token;
  script.fill("evaluationLoop", "for index in torch.arange(len(texts)).split(EVALUATION_BATCH):");
  script.fill("evaluationBatch",
              prepared ? "x, y = self.prepare(*batch_of(texts, labels, index))" : "x, y = batch_of(texts, labels, index)");
  if (next) {
    script.fill("evaluationBatch", "y = y.flatten()");
    script.define(skeleton::kFollowed);
  }
  script.word("answers", next ? "followed(texts)" : "len(labels)");
  script.word("Split", "Texts");
  script.word("split", "split");
}

void addEvaluation(ScriptBuilder& script, bool prepared) {
  // About a training batch: what fits in training fits here.
  script.constant("EVALUATION_BATCH", std::to_string(std::clamp<std::int64_t>(script.integer("batch"), 32, 250)));
  const bool tokens = script.input().tokens;
  if (tokens) addTextEvaluation(script, prepared);
  else addImageEvaluation(script, prepared);
  const auto answers = answersOf(script, "test");
  const std::string kind = script.input().next_token ? "next tokens" : tokens ? "test texts" : "test images";
  script.word("answersOfSplit", answersOf(script, tokens ? "split" : "test"));
  script.fill("evaluate", skeleton::kEvaluate);
  script.fill("evaluation", skeleton::kEvaluation);
  script.fill("lastEvaluation", "accuracy = evaluate(trainer, test, report)");
  script.fill("summaryFigures", "accuracy=accuracy, evaluated=" + answers + ",");
  script.fill("summaryLines", "print(f\"accuracy            {accuracy:.1%} of {" + answers + ":,} " + kind + "\")");
  if (!script.passesEpochs()) return;
  script.word("between", script.input().validation ? "validation" : "test");
  // As many steps as the native session takes to be at its pace again.
  const auto ahead = script.integer("workers") > 0 ? script.integer("workers") * script.integer("prefetch") : 0;
  script.word("settleSteps", std::to_string(1 + std::min<std::int64_t>(32, ahead)));
  script.fill("beforeBlocks", "evaluated = 0  # epochs");
  script.fill("afterBlock", skeleton::kEpochEnd);
}

// What the window of a step counts on: samples, or tokens that another one follows, where no micro-batch is short.
void addAccumulation(ScriptBuilder& script) {
  const bool next = script.input().next_token;
  const auto followed = std::max<std::int64_t>(1, script.input().length - 1);
  script.constant("EXPECTED", "ACCUMULATION * BATCH" + (next ? " * " + std::to_string(followed) : ""),
                  next ? "tokens that a window counts, where none is padding" : "samples of a window whose batches are whole");
  script.word("counted", next ? "int((y != -100).sum())" : "len(y)");
  script.word("planEnd", script.wholePlan());
  script.fill("optimized", "self.micro = self.counted = 0  # of the window that is open");
  if (script.has(Place::Schedule)) script.fill("optimized", "self.rate = LEARNING_RATE");
}

// The backward pass, and what follows an optimizer step; with a scaler only where it was taken.
void addStep(ScriptBuilder& script) {
  const bool accumulates = script.plan().accumulation > 1, scaled = script.text("precision") == "fp16";
  if (accumulates) addAccumulation(script);
  const std::string weighted = accumulates ? "loss * (counted / EXPECTED)" : "loss";
  script.fill("backward", scaled        ? "self.scaler.scale(" + weighted + ").backward()"
                          : accumulates ? "(" + weighted + ").backward()"
                                        : "loss.backward()");
  if (scaled && script.has(Place::AfterOptimizer)) {
    script.add(Place::BeforeOptimizer, "scale = self.scaler.get_scale()");
    script.fill("afterStep", "if self.scaler.get_scale() >= scale:  # the step was taken\n    @afterOptimizer@");
  } else {
    script.fill("afterStep", "@afterOptimizer@");
  }
  script.fill("step", accumulates ? skeleton::kAccumulatingStep : skeleton::kTrainingStep);
}

void addTraining(ScriptBuilder& script, bool prepared) {
  script.require("import torch.nn.functional as F");
  const bool next = script.input().next_token;
  std::string smoothing;
  if (const double share = script.number("label_smoothing"); share > 0) {
    script.constant("LABEL_SMOOTHING", pythonNumber(share));
    smoothing = std::string(next ? ",\n                       " : ", ") + "label_smoothing=LABEL_SMOOTHING";
  }
  script.fill("loss", (next ? "loss = F.cross_entropy(@scores@@flat@, y.flatten()" : "loss = F.cross_entropy(@scores@, y") +
                          smoothing + ")");
  addStep(script);
  if (script.evaluates()) addEvaluation(script, prepared);
}

// The names of what load_data() returns behind the training split.
std::string splitsOf(ScriptBuilder& script) {
  const std::string test = script.evaluates() ? "test" : "_";
  if (!script.input().validation) return test;
  return (script.evaluates() && script.passesEpochs() ? "validation, " : "_, ") + test;
}

}  // namespace

void addRunner(ScriptBuilder& script) {
  const bool training = script.training(), prepared = script.has(Place::Batch) || script.filled("toDevice");
  script.word("Runner", training ? "Trainer" : "Predictor");
  script.word("runner", training ? "trainer" : "predictor");
  script.word("runnerHelp",
              training ? "The model, and all that a training step needs." : "The model, which only goes forward.");
  script.word("splits", splitsOf(script));
  if (script.input().next_token) script.word("flat", ".flatten(0, 1)");
  script.word("fetched", prepared ? "self.prepare(*next(self.feed))" : "next(self.feed)");
  script.word("scores", script.around().empty() ? "self.model(x)" : "self.forward(x)");
  if (prepared) script.fill("prepare", skeleton::kPrepare);
  if (!script.around().empty()) addForward(script);
  if (training) {
    addTraining(script, prepared);
  } else {
    script.add(Place::Model, "self.model.eval()");
    script.fill("step", skeleton::kInferenceStep);
  }
}

}  // namespace atelier::engine
