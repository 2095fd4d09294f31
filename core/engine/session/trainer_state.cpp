// What a trainer must keep to go on exactly. Names: "model.<path>", "gradient.<path>" in an open window, "<technique>.…",
// "trainer.…", "random.…", "loader.…" (the place in the data).
#include <mutex>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>

#include "state_archive.h"
#include "trainer.h"

namespace atelier::engine {
namespace {

void stateOfGenerator(StateArchive& archive, const std::string& name, at::Generator generator) {
  const std::lock_guard lock(generator.mutex());
  auto state = archive.loading() ? at::Tensor() : generator.get_state();
  archive.tensor(name, state);
  if (archive.loading() && state.defined()) generator.set_state(state);
}

}  // namespace

void Trainer::state(StateArchive& archive) {
  const at::NoGradGuard noGrad;
  {
    const StateArchive::Scope scope(archive, "trainer");
    archive.integer("steps", m_steps);
    archive.integer("optimizer_steps", m_state.optimizer_step);
    archive.integer("skipped_steps", m_skipped);
    archive.number("learning_rate", m_state.learning_rate);
    archive.number("effective_rate", m_state.effective_rate);
    archive.integer("losses", m_lossCount);
    archive.number("loss_sum", m_lossSum);
    archive.number("loss", m_state.loss);
    archive.tensor("device_loss_sum", m_deviceLoss, m_plan.device);
    const StateArchive::Scope window(archive, "window");
    m_window.state(archive);
  }
  stateOfModel(archive);
  for (std::size_t i = 0; i < m_techniques.size(); ++i) {
    const StateArchive::Scope scope(archive, m_techniqueIds[i]);
    m_techniques[i]->state(archive);
  }
  stateOfGenerators(archive);
  stateOfLoader(archive);
}

void Trainer::stateOfModel(StateArchive& archive) {
  {
    const StateArchive::Scope scope(archive, "model");
    for (const auto& entry : m_model->named_parameters()) {
      auto tensor = entry.value();
      archive.tensor(entry.key(), tensor, m_plan.device);
    }
    for (const auto& entry : m_model->named_buffers()) {
      auto tensor = entry.value();
      archive.tensor(entry.key(), tensor, m_plan.device);
    }
  }
  // Between windows a gradient is of no use any more.
  if (m_window.atBegin()) return;
  const StateArchive::Scope scope(archive, "gradient");
  for (const auto& entry : m_model->named_parameters()) {
    auto parameter = entry.value();
    if (parameter.requires_grad()) archive.tensor(entry.key(), parameter.mutable_grad(), m_plan.device);
  }
}

void Trainer::stateOfGenerators(StateArchive& archive) {
  const StateArchive::Scope scope(archive, "random");
  stateOfGenerator(archive, "cpu", at::detail::getDefaultCPUGenerator());
  if (!m_plan.device.is_cpu()) stateOfGenerator(archive, "device", at::globalContext().defaultGenerator(m_plan.device));
}

void Trainer::stateOfLoader(StateArchive& archive) {
  const StateArchive::Scope scope(archive, "loader");
  auto position = m_loader->position();
  archive.integer("position", position);
  archive.integer("epochs", m_epochs);
  archive.flag("epoch_ended", m_epochEnded);
  if (archive.loading() && position != m_loader->position()) m_loader->seek(position);
}

}  // namespace atelier::engine
