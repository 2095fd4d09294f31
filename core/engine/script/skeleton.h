// The Python that every script is made of. A line that is only @marker@ is where a part is put, at its indentation, or
// dropped when nothing fills it; @marker@ within a line is a word. Parts may hold markers themselves. Constants; any thread.
#pragma once

#include <string_view>

namespace atelier::engine::skeleton {

extern const std::string_view kScript;
// Batches made in the training thread, or ahead by processes.
extern const std::string_view kNormalise, kOrders, kBatches, kWorkerBatches;
// The same of token data: a batch of texts, with their labels or with the tokens that follow, and how many these are.
extern const std::string_view kTextBatch, kNextTokenBatch, kFollowed;
// The same as kOrders, of texts of similar lengths.
extern const std::string_view kBucketOrders;
// Members of the class that trains or predicts.
extern const std::string_view kPrepare, kTrainingStep, kAccumulatingStep, kInferenceStep, kEvaluate;
// Of the report and the measurement.
extern const std::string_view kReportStep, kSynchronise, kEvaluation, kEpochEnd;

}  // namespace atelier::engine::skeleton
