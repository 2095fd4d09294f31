// The class of a script that holds the model.
#include <algorithm>

#include "parts.h"
#include "skeleton.h"

namespace atelier::engine {
namespace {

// forward(): the model's call inside what techniques put around it.
void addForward(ScriptBuilder& script) {
  std::string text =
      "def forward(self, x: torch.Tensor) -> torch.Tensor:\n    \"\"\"The scores of the classes, in float32.\"\"\"\n";
  std::string indent = "    ";
  for (const auto& with : script.around()) {
    text += indent + with + "\n";
    indent += "    ";
  }
  script.fill("forward", text + indent + "scores = self.model(x)\n    return scores.float()");
}

void addEvaluation(ScriptBuilder& script, bool prepared) {
  // About a training batch: what fits in training fits here.
  script.constant("EVALUATION_BATCH", std::to_string(std::clamp<std::int64_t>(script.integer("batch"), 32, 250)));
  script.fill("evaluationBatch", prepared ? "x, y = self.prepare(normalise(pixels), y)" : "x = normalise(pixels)");
  script.fill("evaluate", skeleton::kEvaluate);
  script.fill("evaluation", skeleton::kEvaluation);
  script.fill("lastEvaluation", "accuracy = evaluate(trainer, test, report)");
  script.fill("summaryFigures", "accuracy=accuracy, evaluated=len(test[1]),");
  script.fill("summaryLines", "print(f\"accuracy            {accuracy:.1%} of {len(test[1]):,} test images\")");
  if (!script.passesEpochs()) return;
  // As many steps as the native session takes to be at its pace again.
  const auto ahead = script.integer("workers") > 0 ? script.integer("workers") * script.integer("prefetch") : 0;
  script.word("settleSteps", std::to_string(1 + std::min<std::int64_t>(32, ahead)));
  script.fill("beforeBlocks", "evaluated = 0  # epochs");
  script.fill("afterBlock", skeleton::kEpochEnd);
}

void addTraining(ScriptBuilder& script, bool prepared) {
  script.require("import torch.nn.functional as F");
  if (const double smoothing = script.number("label_smoothing"); smoothing > 0) {
    script.constant("LABEL_SMOOTHING", pythonNumber(smoothing));
    script.word("smoothing", ", label_smoothing=LABEL_SMOOTHING");
  }
  script.fill("step", skeleton::kTrainingStep);
  if (script.evaluates()) addEvaluation(script, prepared);
}

}  // namespace

void addRunner(ScriptBuilder& script) {
  const bool training = script.training(), prepared = script.has(Place::Batch) || script.filled("toDevice");
  script.word("Runner", training ? "Trainer" : "Predictor");
  script.word("runner", training ? "trainer" : "predictor");
  script.word("runnerHelp",
              training ? "The model, and all that a training step needs." : "The model, which only goes forward.");
  script.word("test", script.evaluates() ? "test" : "_");
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
