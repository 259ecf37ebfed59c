"""A photo that kills whoever decodes it, for real: a kind of file whose reader sends SIGKILL to its own process."""

from __future__ import annotations

import os
from pathlib import Path

POISON = b"POISON"

READER = """
import os, signal
from PIL import Image, ImageFile

class Poison(ImageFile.ImageFile):
    format = "POISON"

    def _open(self):
        os.kill(os.getpid(), signal.SIGKILL)

Image.register_open("POISON", Poison, lambda head: head.startswith(b"POISON"))
"""


def environment(folder: Path) -> dict[str, str]:
    """Variables for child processes that shall have the reader of poison; writes it to `folder`."""
    (folder / "sitecustomize.py").write_text(READER)
    return {"PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)}
