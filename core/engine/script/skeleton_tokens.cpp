// The skeleton's parts for token data.
#include "skeleton.h"

namespace atelier::engine::skeleton {

const std::string_view kTextBatch = R"py(
def batch_of(texts: list[torch.Tensor], labels: torch.Tensor, index: torch.Tensor) -> Pair:
    """Some texts as one batch (N, T), the shorter ones filled up with PAD, and their labels."""
    x = pad_sequence([texts[i] for i in index.tolist()], batch_first=True, padding_value=PAD)
    return x, labels[index]
)py";

const std::string_view kNextTokenBatch = R"py(
def batch_of(texts: list[torch.Tensor], _: torch.Tensor, index: torch.Tensor) -> Pair:
    """Some texts as one batch (N, T), filled up with PAD, and the tokens that follow each.

    -100 stands where none follows: the loss leaves it out. Labels of texts are not asked for.
    """
    x = pad_sequence([texts[i] for i in index.tolist()], batch_first=True, padding_value=PAD)
    y = x.roll(-1, dims=1)
    y[:, -1] = PAD
    return x, y.masked_fill(y == PAD, -100)
)py";

const std::string_view kFollowed = R"py(
def followed(texts: list[torch.Tensor]) -> int:
    """How many of their tokens another one follows."""
    return sum(len(text) - 1 for text in texts)
)py";

}  // namespace atelier::engine::skeleton
