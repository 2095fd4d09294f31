// A small, valid lab as its two files have it, for tests and fuzzers to damage.
#pragma once

namespace atelier::lab {

inline constexpr const char* kToml = R"(id = "tiny"
number = "1.1"
half_day = "day1-morning"

[[step]]
id = "race"
hints = 1
[step.prediction]
quantity = "ratio"
unit = "ratio"
min = 0.1
max = 10
[step.experiment]
verb = "race"
spec = { model = "cnn", steps = 20 }
b = { channels_last = true }
knobs = ["batch"]
knobs_b = ["precision"]
[step.solution]
knobs = { precision = "bf16", batch = 64 }
[[step.check]]
id = "gain"
kind = "ratio_at_least"
at_least = 1.2
[[step.check]]
id = "guess"
kind = "prediction_within"
percent = 20

[[step]]
id = "end"
[[step.quiz]]
id = "why"
answer = 1
)";

inline constexpr const char* kText = R"(# Tiny
> Is it fast?

## race | A race
Predicted {prediction.race}, measured {measured.race}.

```python
## not a heading
```
### hint
Try bf16.
### solution
Use bf16.

## end | The end
Answer.
### quiz why
Why
so?
- No
- Yes,
  indeed
> Because.
)";

}  // namespace atelier::lab
