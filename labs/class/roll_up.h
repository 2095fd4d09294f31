// From learners to labs: who is stuck, and what each lab looks like over all of them. Any thread; values only.
#pragma once

#include <vector>

#include "class.h"

namespace atelier::lab {

// Sets LabResult::stuck by the rule in class.h.
void markStuck(std::vector<Learner>& learners);

std::vector<LabRollUp> rollUp(const std::vector<Learner>& learners);

}  // namespace atelier::lab
