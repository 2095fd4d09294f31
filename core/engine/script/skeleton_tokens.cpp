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

const std::string_view kBucketOrders = R"py(
def orders(texts: list[torch.Tensor]) -> Iterator[torch.Tensor]:
    """Batch after batch, the texts to take: of similar lengths, so that little is filled up.

    An epoch's order comes from its seed. Pools of some batches are sorted, then the batches
    shuffled; an incomplete one stays the last.
    """
    lengths = [len(text) for text in texts]
    for epoch in itertools.count():
        generator = torch.Generator().manual_seed(SEED + epoch)
        order = torch.randperm(len(lengths), generator=generator).tolist()
        pools = [order[at:at + POOL * BATCH] for at in range(0, len(order), POOL * BATCH)]
        order = torch.tensor([i for pool in pools for i in sorted(pool, key=lengths.__getitem__)])
        for number in torch.randperm(len(lengths) // BATCH, generator=generator).tolist():
            yield order[number * BATCH:(number + 1) * BATCH]
        @lastBatch@
)py";

}  // namespace atelier::engine::skeleton
