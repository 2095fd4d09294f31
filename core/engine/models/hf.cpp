// hf: the pretrained encoders of the BERT family, chosen as "hf:NAME" or "hf:FOLDER", with a fresh classifier on the mean over
// the tokens.
#include "bert.h"
#include "core/engine/models/model.h"
#include "core/engine/script/builder.h"
#include "core/engine/session/plan.h"

namespace atelier::engine {
namespace {

constexpr std::string_view kPrefix = "hf:";

std::shared_ptr<Module> build(const ModelRequest& request) {
  TORCH_INTERNAL_ASSERT(request.folder, "a pretrained model without its folder");
  auto config = request.folder->config;
  config.pad = request.input.pad;  // batches are padded with the data's
  auto model = std::make_shared<Bert>(config, request.input.classes, Init::Skip);
  const auto loaded = loadWeights(*model, *request.folder->weights);
  // The plan was made of a folder that passed checkWeights().
  TORCH_CHECK(loaded.ok(), "the weights can't be loaded: ", loaded.error().messages.front().id);
  return model;
}

constexpr std::string_view kPython = R"py(
class SentenceClassifier(nn.Module):
    """A pretrained encoder, the mean over its tokens, and a linear head."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        config = AutoConfig.from_pretrained(MODEL)
        classifier = nn.Linear(config.hidden_size, classes)  # first: loading may draw numbers, too
        nn.init.normal_(classifier.weight, std=config.initializer_range)
        nn.init.zeros_(classifier.bias)
        self.encoder = AutoModel.from_pretrained(
            MODEL, dtype=torch.float32@encoderArguments@)
        self.encoder.train()  # it comes ready for evaluation
        self.dropout = nn.Dropout(config.@encoderDropout@)
        self.classifier = classifier

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mask = x != PAD
        hidden = self.encoder(x, attention_mask=mask.long()).last_hidden_state
        weight = mask.unsqueeze(2).to(hidden.dtype)
        mean = (hidden * weight).sum(1) / weight.sum(1).clamp(min=1)
        return self.classifier(self.dropout(mean))


def build_model() -> nn.Module:
    return SentenceClassifier(@classes@)
)py";

void script(const InputShape& shape, ScriptBuilder& script) {
  const auto& model = script.text("model");
  const auto opened = openFolder(model);
  const bool distilled = opened.ok() && (*opened)->config.family == "distilbert";
  script.require("from transformers import AutoConfig, AutoModel");
  script.constant("MODEL", script.path(opened.ok() ? (*opened)->path.string() : model.substr(kPrefix.size()), 8));
  script.word("encoderDropout", distilled ? "dropout" : "hidden_dropout_prob");
  // BERT's pooler serves another task.
  if (!distilled) script.word("encoderArguments", ", add_pooling_layer=False");
  script.define(withValues(kPython, {{"classes", shape.classes}}));
}

}  // namespace

ModelUnit model_hf() {
  return {"hf", build, script, InputKind::Tokens, Task::Classify, {}, std::string(kPrefix)};
}

}  // namespace atelier::engine
