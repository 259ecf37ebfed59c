"""On real captions every metric equals pycocoevalcap's."""

from __future__ import annotations

import json
import resource
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pycocoevalcap.cider.cider import Cider
from pycocoevalcap.meteor.meteor import Meteor
from pycocoevalcap.rouge.rouge import Rouge

from attend.score.metrics import meteor
from attend.score.metrics.bleu import bleu_metrics, corpus_bleu
from attend.score.metrics.cider import cider
from attend.score.metrics.java import java_environment
from attend.score.metrics.measured import Measured, TokenisedSet
from attend.score.metrics.panel import DEFAULT, make_cells, measure
from attend.score.metrics.rouge import rouge
from attend.score.metrics.tokens import ptb_tokenise


@pytest.fixture(scope="module")
def thousand(shared: Path) -> TokenisedSet:
    """The first of five human captions of the 1,000 val photos of Flickr8k against the other four."""
    flickr = json.loads((shared / "data/flickr8k/dataset_flickr8k.json").read_text(encoding="utf-8"))
    images = [image for image in flickr["images"] if image["split"] == "val"]
    texts = ptb_tokenise([sentence["raw"] for image in images for sentence in image["sentences"][:5]])
    groups = {image["filename"]: texts[5 * number : 5 * number + 5] for number, image in enumerate(images)}
    assert len(groups) == 1000
    return TokenisedSet(
        {key: group[0] for key, group in groups.items()}, {key: group[1:] for key, group in groups.items()}
    )


def as_coco(each: TokenisedSet) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """References and captions as pycocoevalcap takes them."""
    return {key: list(group) for key, group in each.references.items()}, {
        k: [text] for k, text in each.captions.items()
    }


def _cpu_seconds() -> float:
    """Of this process and of its children that have ended."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


@pytest.mark.shared
def test_rouge_and_cider(thousand: TokenisedSet) -> None:
    for scorer, ours in ((Rouge(), rouge), (Cider(), cider)):
        expected, by_image = scorer.compute_score(*as_coco(thousand))
        [[found]] = ours([thousand])
        assert found.score == pytest.approx(100 * expected, abs=1e-4)
        assert found.by_image == pytest.approx(100 * np.asarray(by_image), abs=1e-4)
        assert 20 < found.score < 120


@pytest.mark.shared
def test_bleu_of_summed_counts_is_corpus_bleu(thousand: TokenisedSet) -> None:
    bleu = corpus_bleu(thousand.captions, thousand.references)
    scores = [each.score for each in bleu_metrics([thousand])[0]]
    assert scores == pytest.approx([*bleu.with_penalty, *bleu.without_penalty], abs=1e-6)


@pytest.mark.shared
@pytest.mark.slow
def test_meteor(thousand: TokenisedSet, quick_meteor: Callable[[], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """With the real paraphrases, and in less than a minute of a core's time.

    The score computed from summed counts is what the program computes itself.
    """
    monkeypatch.setenv("PATH", java_environment()["PATH"])
    monkeypatch.setattr(meteor, "meteor_folder", quick_meteor)
    expected, by_image = Meteor().compute_score(*as_coco(thousand))
    before = _cpu_seconds()
    [results] = measure([thousand], DEFAULT)
    make_cells(results)
    assert _cpu_seconds() - before < 60, "all metrics with their intervals"
    [found] = [each for each in results if isinstance(each, Measured) and each.name == "METEOR"]
    assert found.score == pytest.approx(100 * expected, abs=1e-4)
    assert found.by_image == pytest.approx(100 * np.asarray(by_image), abs=1e-4)
    assert 20 < found.score < 40
