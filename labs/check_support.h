// What the kinds of checks share: reading their parameters and figures, and concluding. Any thread.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "check.h"

namespace atelier::lab {

using SentenceArgs = std::vector<std::pair<std::string, std::string>>;

// REQUIRES: the parameter was declared by the kind (the loader then made sure of its type).
double numberParameter(const CheckSpec& spec, const std::string& name, double fallback = 0);
std::string textParameter(const CheckSpec& spec, const std::string& name, const std::string& fallback = {});
// A whole number of what can be counted, 0 … 1,000.
int countParameter(const CheckSpec& spec, const std::string& name, int fallback = 0);
bool flagParameter(const CheckSpec& spec, const std::string& name);
std::vector<std::string> wordsParameter(const CheckSpec& spec, const std::string& name);

// The result of a check whose experiment left something to judge is made by conclude(); notRun() says why there is none:
// not run yet, run failed, or no such figure in its result.
CheckResult conclude(const CheckInput& input, CheckState state, std::string wanted, SentenceArgs args = {});
CheckResult notRun(const CheckInput& input, std::string wanted);
bool hasResult(const CheckInput& input);
// Whether a run, or either side of a race, failed.
bool hasFailed(const nlohmann::json& result);

// Puts a figure in, and its args {measured}, {low}, {high}.
void setFigure(CheckResult& result, const wire::Interval& figure);

// Whether the learner's choice is among the first `top` of the names: what one chooses stands for all names that contain it, so
// that "convolution" is right whatever kernel the machine has for it. Without names notRun(), without a choice NotPredicted.
CheckResult judgeChoice(const CheckInput& input, const std::vector<std::string>& names, int top);

// The rules that a diagnosis can name, by their ids.
const std::vector<std::string>& ruleIds();
// The findings of a profile, worst first, those that only say that all is well left out; null when there is no diagnosis.
std::optional<std::vector<nlohmann::json>> findingsOf(const CheckInput& input);
// The finding's title with its figures, and its first evidence.
std::vector<wire::Message> quoted(const nlohmann::json& finding);

bool machineBusy(const CheckInput& input);
// Half the 95 % interval of the difference between the accuracies of a race's sides, as a share: both were counted on samples.
// A hundredth where nobody says on how many.
double accuracyMargin(const nlohmann::json& race);
// Half the interval's width as percent of its median; infinite for a median of 0.
double halfWidthPercent(const wire::Interval& interval);
// Four significant digits, as files write numbers.
std::string rounded(double value);

}  // namespace atelier::lab
