// What the ResNets share: torchvision's class (names, order, initialisation), its first convolution taking the data's channels.
// The stride of a bottleneck stands in its 3×3 convolution, as torchvision has it.
#pragma once

#include <array>
#include <memory>

#include "model.h"

namespace atelier::engine {

enum class ResidualBlock {
  Basic,       // two convolutions 3×3
  Bottleneck,  // 1×1, 3×3, and 1×1 to four times as many channels
};

// Four stages of so many blocks, 64 channels wide and doubling.
std::shared_ptr<Module> makeResNet(const InputShape& shape, ResidualBlock block, const std::array<int, 4>& depths);

}  // namespace atelier::engine
