"""What all workers of a job have in common, and what they say of themselves. Small: it travels with every shard."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SAME = ("show-attend-tell", "torch", "pillow")
"""Libraries that decide a feature: a worker with another version is refused."""


def other_versions(theirs: Mapping[str, str], here: Mapping[str, str]) -> str:
    """How a worker's libraries differ, in words that end with the cure; empty when they do not."""
    differ = [name for name in SAME if theirs[name] != here[name]]
    if not differ:
        return ""
    said = (", ".join(f"{name} {versions[name]}" for name in differ) for versions in (theirs, here))
    return "has {}, the coordinating process {}: install the same".format(*said)


@dataclass(frozen=True)
class Setup:
    """The encoder every worker builds for itself, once, and checks against `weights_sha256`. `weights` is `imagenet`,
    `random:SEED` or an absolute path; `device` auto, cpu or cuda. `token` is a file in the store's folder that every
    worker must be able to read, with its own name as content. `lanes` is how many shards each machine does at once,
    `versions` the coordinating process's."""

    encoder: str
    weights: str
    weights_sha256: str
    precision: str
    device: str
    token: Path
    lanes: tuple[tuple[str, int], ...]
    versions: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Introduction:
    """A worker: its process, its machine, the kind of its device, the precision that pays there, versions by name."""

    who: str
    host: str
    device: str
    precision: str
    versions: dict[str, str]
