"""How captions were found, in words: what stands beside their scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attend.train.config import SearchSettings

OF_METHOD = {
    "beam": ("beam", "length_normalisation"),
    "diverse": ("beam", "groups", "diversity", "length_normalisation"),
    "sample": ("temperature", "top_k", "top_p", "seed"),
}
"""Settings that each method is told by."""
RULES = ("shortest", "no_repeat", "required", "forbidden")
"""Told where they are in force."""


def tell_search(search: Mapping[str, Any]) -> str:
    """`beam 5, length normalisation 0.7`; another method comes first by its name. Settings are those of a scores file;
    one from before there were methods has none."""
    method = search.get("method", "beam")
    plain = SearchSettings()
    rules = [name for name in RULES if search.get(name, getattr(plain, name)) != getattr(plain, name)]
    told = [_told(name, search[name]) for name in (*OF_METHOD[method], *rules)]
    return ", ".join(told if method == "beam" else [f"method {method}", *told])


def _told(name: str, value: Any) -> str:
    return f"{name.replace('_', ' ')} {value:g}" if isinstance(value, float) else f"{name.replace('_', ' ')} {value}"
