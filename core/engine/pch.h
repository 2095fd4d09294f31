// What nearly every engine source includes; compiled once.
#pragma once

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/nn/module.h>
#include <nlohmann/json.hpp>
