// channels_last: images and convolution weights laid out NHWC, as torch.channels_last.
#include "core/engine/script/builder.h"
#include "technique.h"

namespace atelier::engine {
namespace {

class ChannelsLast final : public Technique {
 public:
  void prepareModel(Module& model) override {
    const at::NoGradGuard noGrad;
    for (auto& parameter : model.parameters())
      if (parameter.dim() == 4) parameter.set_data(laidOut(parameter));
  }
  void prepareBatch(Batch& batch) override {
    if (batch.input.dim() == 4) batch.input = laidOut(batch.input);
  }

 private:
  // With one channel or one pixel both layouts are the same bytes and contiguous() leaves the strides alone; kernels choose
  // by strides, so they are set by hand.
  static at::Tensor laidOut(const at::Tensor& tensor) {
    const auto channels = tensor.size(1), height = tensor.size(2), width = tensor.size(3);
    if (channels == 1 || (height == 1 && width == 1))
      return tensor.contiguous().as_strided(tensor.sizes(), {height * width * channels, 1, width * channels, channels});
    return tensor.contiguous(at::MemoryFormat::ChannelsLast);
  }
};

void script(ScriptBuilder& script) {
  if (!script.flag("channels_last")) return;
  if (script.input().tokens) {
    script.remark("channels_last: a layout of images, and this run reads sentences.");
    return;
  }
  script.add(Place::Model, "self.model = self.model.to(memory_format=torch.channels_last)");
  script.add(Place::Batch, "x = x.contiguous(memory_format=torch.channels_last)");
}

}  // namespace

TechniqueUnit technique_channels_last() {
  return {"channels_last",
          20,
          {wire::booleanOption("channels_last", false)},
          [](const TechniqueContext& context) -> std::unique_ptr<Technique> {
            if (!context.spec.flag("channels_last")) return nullptr;
            if (findModelUnit(context.spec.text("model"))->input == InputKind::Tokens) {
              context.notices.push_back({"channels_last.no_images"});
              return nullptr;
            }
            return std::make_unique<ChannelsLast>();
          },
          script};
}

}  // namespace atelier::engine
