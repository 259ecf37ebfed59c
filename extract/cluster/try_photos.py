"""Decodes photos one after the other and says a dot after each. A process of its own: it may die of one."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path

from attend.extract.opening import PhotoError, open_photo


def main() -> None:
    """Reads `[bytes of memory or null, [path, …]]` from standard input."""
    memory, paths = json.load(sys.stdin)
    if memory:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    print("+", end="", flush=True)
    for path in paths:
        with suppress(PhotoError):  # an error is no death: the worker will name it
            open_photo(Path(path))
        print(".", end="", flush=True)


if __name__ == "__main__":
    main()
