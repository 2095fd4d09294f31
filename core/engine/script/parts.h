// The parts of a script that belong to no unit. Each fills markers of skeleton.h from the spec; called in this order, after
// the units have added theirs. One thread.
#pragma once

#include "builder.h"

namespace atelier::engine {

// Batches in the order of the native loader, and their way to the device.
void addFeed(ScriptBuilder& script);
// The class that holds the model: one step, and the evaluation.
void addRunner(ScriptBuilder& script);
// Steps under torch.profiler, after the measurement.
void addProfile(ScriptBuilder& script);
// What is timed, and what is said of it.
void addMeasurement(ScriptBuilder& script);

}  // namespace atelier::engine
