"""Given captions as the model reads them: how likely it finds each word, and where it looks at it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from attend.data.vocabulary import END, Vocabulary
from attend.score.search.caption import Caption
from attend.score.search.context import with_context
from attend.train.config import SearchSettings
from attend.train.models.interface import Batch, Captioner


@torch.inference_mode()
def read_back(
    captioner: Captioner,
    annotations: Tensor,
    texts: Sequence[Sequence[str]],
    vocabulary: Vocabulary,
    settings: SearchSettings,
) -> list[Caption]:
    """The words of each of B captions, read over annotations (B, L, D), as finished captions (teacher forcing).

    Hard attention looks as `settings` say. A word that the vocabulary does not have keeps its text and has the id and
    the probability of the unknown word.
    """
    captioner, device = with_context(captioner, settings), annotations.device
    ids = [[*vocabulary.encode(words), END] for words in texts]
    if not ids:
        return []
    longest = max(map(len, ids))
    words = torch.tensor([row + [END] * (longest - len(row)) for row in ids], device=device)  # (B, T)
    output = captioner(Batch(annotations, words, torch.tensor([len(row) for row in ids], device=device)))
    log_probs = output.log_probs.gather(2, words.unsqueeze(2)).squeeze(2).float().cpu()  # (B, T)
    attention, gates = output.attention.float().cpu().numpy(), output.gates.float().cpu().numpy()
    found = []
    for number, text in enumerate(texts):
        end = len(text)
        own = log_probs[number, : end + 1]
        found.append(
            Caption(
                ids=tuple(ids[number][:-1]),
                words=tuple(text),
                log_prob=float(own.sum()),
                word_log_probs=own[:-1].numpy(),
                attention=attention[number, :end],
                gates=gates[number, :end],
                finished=True,
            )
        )
    return found
