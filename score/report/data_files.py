"""The report's data as scripts: a page opened from a disk may load scripts, but no other files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

AT_ONCE = 25
"""Photos whose maps lie in one file: what is loaded when one of them is looked at."""


def script(name: str, content: Any) -> str:
    """A script that hands `content` to the page under `name`; in ASCII, and harmless inside an HTML page too."""
    written = json.dumps(content, separators=(",", ":")).replace("<", "\\u003c")
    return f"attend.data.put({json.dumps(name)},{written});\n"


def write_script(folder: Path, name: str, content: Any) -> None:
    """Write `data/NAME.js`."""
    (folder / "data" / f"{name}.js").write_text(script(name, content), encoding="ascii")
