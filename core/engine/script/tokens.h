// What the scripts of token data share. Their load_data() returns [(texts, labels) to train on, to validate on where there is
// such a split, to test on]: a list of 1-D int64 tensors of token ids, and int64 (N). Batches are (N, T), filled up with the
// constant PAD; so models find their mask as x != PAD. One thread.
#pragma once

#include "builder.h"
#include "core/engine/models/model.h"

namespace atelier::engine {

enum class TokensFrom { Texts, Nothing };

// Defines PAD and LENGTH, and for texts TOKENIZER and tokenise(list of texts), which cuts to LENGTH ids, [CLS] and [SEP]
// counted. Tells what a model must be able to take: two classes of sequences of the vocabulary of the model's own tokenizer, or
// of the installed one. Where that can't be opened, of the installed one as it is known to be.
InputShape addTokens(ScriptBuilder& script, TokensFrom source);

}  // namespace atelier::engine
