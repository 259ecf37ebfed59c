"""BLEU: by hand on small cases, equal to pycocoevalcap on real ones."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from attend.score.metrics.bleu import corpus_bleu
from attend.score.metrics.tokens import ptb_tokenise


def test_one_caption_by_hand() -> None:
    """6 words, closest reference 6: unigrams 5/6 (one `the` is clipped away), pairs 3/5, triples 1/4, fours 0/3."""
    bleu = corpus_bleu(
        {"x": "the the cat on the mat"}, {"x": ["the cat is on the mat", "a cat sat on the mat today outside"]}
    )
    precisions = [5 / 6, 3 / 5, 1 / 4]
    expected = [100 * math.prod(precisions[: n + 1]) ** (1 / (n + 1)) for n in range(3)]
    assert bleu.without_penalty[:3] == pytest.approx(expected, abs=1e-6)
    assert bleu.without_penalty[3] < 0.02
    assert bleu.with_penalty == pytest.approx(bleu.without_penalty)
    assert (bleu.penalty, bleu.caption_words, bleu.reference_words) == (1.0, 6, 6)


def test_counts_add_up_over_the_corpus_and_the_penalty_is_of_the_whole() -> None:
    """Two captions of 2 and 4 words, references of 4 and 5: ratio 6/9. Unigrams 2/2 + 3/4, pairs 1/1 + 2/3."""
    captions = {"a": "red dog", "b": "two cats run home"}
    references = {"a": ["the red dog runs"], "b": ["two cats run very fast"]}
    bleu = corpus_bleu(captions, references)
    assert bleu.ratio == pytest.approx(6 / 9)
    assert bleu.penalty == pytest.approx(math.exp(1 - 9 / 6))
    assert bleu.without_penalty[0] == pytest.approx(100 * 5 / 6)
    assert bleu.without_penalty[1] == pytest.approx(100 * math.sqrt(5 / 6 * 3 / 4))
    assert bleu.with_penalty == pytest.approx([bleu.penalty * score for score in bleu.without_penalty])


def test_the_closest_reference_is_the_shorter_of_two_as_close() -> None:
    assert corpus_bleu({"x": "a b c"}, {"x": ["a b c d", "a b", "a b c d e f"]}).reference_words == 2


@pytest.mark.fault("0 and 7 references of a photo", "all 7 count; 0 is refused", "Scores")
def test_zero_and_seven_references_and_identical_captions() -> None:
    seven = ["a"] * 6 + ["b c d e f"]
    assert corpus_bleu({"x": "b c d e f"}, {"x": seven}).with_penalty == pytest.approx([100] * 4)
    with pytest.raises(ValueError, match="at least one reference"):
        corpus_bleu({"x": "a"}, {"x": []})
    with pytest.raises(ValueError, match="different images"):
        corpus_bleu({"x": "a"}, {"y": ["a"]})


def test_an_empty_caption_scores_nothing_and_shortens_the_corpus() -> None:
    bleu = corpus_bleu({"x": "", "y": "a b c d e"}, {"x": ["a b c d e"], "y": ["a b c d e"]})
    assert bleu.ratio == pytest.approx(0.5)
    assert bleu.without_penalty == pytest.approx([100] * 4)
    assert bleu.by_image["x"] == pytest.approx(0.0, abs=1e-3)
    assert bleu.by_image["y"] == pytest.approx(100.0)


@pytest.mark.shared
@pytest.mark.fault(
    "BLEU of another scale or smoothing", "equal to pycocoevalcap to 4 decimals, with and without penalty", "Scores"
)
def test_equals_pycocoevalcap_on_a_thousand_real_captions(shared: Path) -> None:
    """One of five human captions against the other four; truncated ones too, so that the penalty is at work."""
    from pycocoevalcap.bleu.bleu import Bleu as CocoBleu

    flickr = json.loads((shared / "data/flickr8k/dataset_flickr8k.json").read_text(encoding="utf-8"))
    images = [image for image in flickr["images"] if image["split"] == "val"]
    texts = ptb_tokenise([sentence["raw"] for image in images for sentence in image["sentences"][:5]])
    groups = {image["filename"]: texts[5 * number : 5 * number + 5] for number, image in enumerate(images)}
    assert len(groups) == 1000
    for shorten in (None, 6):
        captions = {image_id: " ".join(group[0].split()[:shorten]) for image_id, group in groups.items()}
        references = {image_id: group[1:] for image_id, group in groups.items()}
        expected, by_image = CocoBleu(4).compute_score(
            references, {key: [value] for key, value in captions.items()}, verbose=0
        )
        bleu = corpus_bleu(captions, references)
        assert bleu.with_penalty == pytest.approx([100 * score for score in expected], abs=1e-4)
        assert list(bleu.by_image.values()) == pytest.approx([100 * score for score in by_image[3]], abs=1e-4)
        assert bleu.with_penalty == pytest.approx([bleu.penalty * score for score in bleu.without_penalty], rel=1e-9)
        assert (bleu.penalty < 1) == (shorten is not None)
