// What a script measures, and says of it.
#include "parts.h"
#include "skeleton.h"

namespace atelier::engine {
namespace {

void addSynchronisation(ScriptBuilder& script) {
  const auto device = script.device();
  if (device == ScriptDevice::Cpu) return;
  const bool either = device == ScriptDevice::Either;
  if (either) script.fill("synchronise", skeleton::kSynchronise);
  const auto* call = either ? "synchronise()" : "torch.cuda.synchronize(DEVICE)";
  script.word("runHelp", "; the device is waited for at both ends only");
  script.fill("beforeRun", call);
  if (script.flag("naive")) {
    script.fill("timing", "asked: float = 0.0  # seconds, without waiting for the device");
    script.fill("afterRun", "timing.asked = time.perf_counter() - begin");
  }
  script.fill("afterRun", call);
  script.fill("gpuPeak", either ? "gpu_peak = torch.cuda.max_memory_allocated(DEVICE) if DEVICE.type == \"cuda\" else 0"
                                : "gpu_peak = torch.cuda.max_memory_allocated(DEVICE)");
  script.fill("summaryFigures", "gpu_peak_bytes=gpu_peak,");
  const std::string line = "print(f\"GPU memory          {gpu_peak / 2**20:,.0f} MiB of tensors at most\")";
  script.fill("summaryLines", either ? "if gpu_peak:\n    " + line : line);
}

// The loss of a step is read when the step is told; on a GPU reading it would wait for the device.
void addLoss(ScriptBuilder& script) {
  const auto device = script.device();
  const bool cpu = device == ScriptDevice::Cpu;
  script.word("lossParameter", ", loss: torch.Tensor");
  script.word("lossArgument", ", loss");
  script.word("lossHead", "       loss");
  script.word("lossCell", "  {block.loss:9.4f}");
  script.word("lossFigure", ", loss=block.loss");
  if (device == ScriptDevice::Cuda)
    script.fill("readLoss", "value = loss.item() if self.every_step else None  # it waits for the GPU");
  if (device == ScriptDevice::Either)
    script.fill("readLoss",
                "# On a GPU reading the loss waits for it.\n"
                "value = loss.item() if self.every_step or DEVICE.type == \"cpu\" else None");
  script.word("stepFigures", std::string(cpu ? ", loss=loss.item()" : ", loss=value") +
                                 ", learning_rate=" + (script.has(Place::Schedule) ? "trainer.rate" : "LEARNING_RATE"));
  script.fill("timing", "loss: float = math.nan  # mean over the steps");
  script.fill("beforeRun", cpu ? "total = 0.0" : "total = torch.zeros((), device=DEVICE)");
  script.fill("oneStep",
              cpu ? "loss, samples = trainer.step()\ntotal += loss.item()" : "loss, samples = trainer.step()\ntotal += loss");
  script.fill("meanLoss", cpu ? "timing.loss = total / steps" : "timing.loss = total.item() / steps");
}

void addStopwatch(ScriptBuilder& script) {
  if (!script.flag("naive")) return;
  script.constant("STOPWATCH_STEPS", "min(10, STEPS)", "of a naive stopwatch");
  script.constant("BEGIN", "time.perf_counter()", "of a stopwatch that counts loading too");
  script.fill("stopwatchBefore",
              "report.phase(\"naive\")\n"
              "cold = run(@runner@, STOPWATCH_STEPS, report)\n"
              "readings = {\"no_warmup\": cold.rate,\n"
              "            \"first_epoch\": cold.samples / (time.perf_counter() - BEGIN)}");
  if (script.device() == ScriptDevice::Cuda)
    script.fill("stopwatchBefore", "readings[\"no_synchronisation\"] = cold.samples / cold.asked");
  if (script.device() == ScriptDevice::Either)
    script.fill("stopwatchBefore",
                "if DEVICE.type == \"cuda\":\n    readings[\"no_synchronisation\"] = cold.samples / cold.asked");
  script.fill("stopwatchAfter",
              "report.phase(\"naive\")\nreadings[\"reused_model\"] = run(@runner@, STOPWATCH_STEPS, report).rate");
  script.fill("summaryFigures", "naive=readings,");
  script.fill("summaryLines",
              "for name, rate in readings.items():\n"
              "    print(f\"naive: {name:18} {rate:,.0f} samples/s, {rate / median:.2f} of the median\")");
}

}  // namespace

void addMeasurement(ScriptBuilder& script) {
  addSynchronisation(script);
  if (script.training()) addLoss(script);
  else script.fill("oneStep", "samples = predictor.step()");
  if (script.plan().warmup > 0) script.fill("warmUp", "report.phase(\"warmup\")\nrun(@runner@, WARMUP, report)");
  script.fill("reportStep", skeleton::kReportStep);
  addStopwatch(script);
}

}  // namespace atelier::engine
