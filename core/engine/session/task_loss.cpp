#include "task_loss.h"

namespace atelier::engine {
namespace {

constexpr std::int64_t kIgnored = -100;  // as torch.nn.functional.cross_entropy's ignore_index

struct Scored {
  at::Tensor logits, target;  // (M, classes), (M)
};

Scored scored(Task task, const at::Tensor& output, const Batch& batch, std::int64_t pad) {
  auto logits = output.to(at::kFloat);
  if (task == Task::Classify) return {std::move(logits), batch.target};
  const auto tokens = output.size(1);
  TORCH_CHECK_VALUE(tokens > 1, "a next token can't be foretold in sequences of ", tokens, " token");
  const auto next = batch.input.slice(1, 1);
  return {logits.slice(1, 0, tokens - 1).reshape({-1, output.size(2)}),
          next.masked_fill(next.eq(pad), kIgnored).reshape({-1})};
}

}  // namespace

at::Tensor taskLoss(Task task, const at::Tensor& output, const Batch& batch, std::int64_t pad, double labelSmoothing) {
  const auto pair = scored(task, output, batch, pad);
  return at::cross_entropy_loss(pair.logits, pair.target, {}, at::Reduction::Mean, kIgnored, labelSmoothing);
}

std::int64_t countedIn(Task task, const Batch& batch, std::int64_t pad) {
  if (task == Task::Classify) return batch.target.size(0);
  return batch.input.slice(1, 1).ne(pad).sum().item<std::int64_t>();
}

TaskScore taskScore(Task task, const at::Tensor& output, const Batch& batch, std::int64_t pad) {
  const auto pair = scored(task, output, batch, pad);
  TaskScore score;
  score.loss_sum = at::cross_entropy_loss(pair.logits, pair.target, {}, at::Reduction::Sum, kIgnored).item<double>();
  score.correct = pair.logits.argmax(1).eq(pair.target).sum().item<std::int64_t>();
  score.count = task == Task::Classify ? pair.target.size(0) : pair.target.ne(kIgnored).sum().item<std::int64_t>();
  return score;
}

}  // namespace atelier::engine
