// How long a pretrained model takes from its folder to a model that can run, in a fresh process: the files opened and checked,
// the model built, its weights copied. minilm.py holds it against transformers; compiled by hand, from the repository's root:
//   T=.deps/venv/lib/python3.11/site-packages/torch; L=build/release/core
//   g++ -std=c++20 -O2 -I. -isystem $T/include -isystem $T/include/torch/csrc/api/include tests/bench/load_minilm.cpp \
//     $L/libatelier_engine_core.a $L/libatelier_pretrained.a $L/libatelier_wire.a -L$T/lib -Wl,--allow-shlib-undefined \
//     -Wl,--no-as-needed -ltorch_cpu -lc10 -Wl,-rpath,$(realpath $T)/lib -o /tmp/load_minilm
// Usage: load_minilm FOLDER [THREADS]. Prints {"milliseconds": …}.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "core/engine/models/bert.h"
#include "core/engine/monitor/tensor_memory.h"

namespace {

using namespace atelier;

std::shared_ptr<engine::Bert> load(const std::filesystem::path& folder) {
  const auto config = pretrained::readBertConfig(folder / "config.json");
  const auto weights = pretrained::SafetensorsFile::open(folder / "model.safetensors");
  if (!config.ok() || !weights.ok()) return nullptr;
  auto model = std::make_shared<engine::Bert>(*config, 2, engine::Init::Skip);
  return engine::loadWeights(*model, **weights).ok() ? model : nullptr;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return 2;
  engine::TensorMemory::install();
  if (count > 2) at::set_num_threads(std::atoi(arguments[2]));
  at::mm(at::ones({512, 512}), at::ones({512, 512}));  // the threads are there, as in a program that runs
  const auto begin = std::chrono::steady_clock::now();
  const auto model = load(arguments[1]);
  const auto end = std::chrono::steady_clock::now();
  if (!model) return 3;
  std::printf("{\"milliseconds\": %.3f}\n", std::chrono::duration<double, std::milli>(end - begin).count());
  return 0;
}
