"""Show, Attend and Tell: photos to features, features to a captioner, a captioner to captions and scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attend.score.captioner import load_captioner as load_captioner

__version__ = "0.1.0"
__all__ = ["__version__", "load_captioner"]


def __getattr__(name: str) -> object:
    """Import the captioner only when it is asked for: `attend --help` must not pay for torch."""
    if name == "load_captioner":
        from attend.score.captioner import load_captioner

        return load_captioner
    raise AttributeError(f"module 'attend' has no attribute {name!r}")
