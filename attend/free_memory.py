"""How much memory this process may still take: what the machine has, or what its control group leaves of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psutil

PROCESS = Path("/proc/self/cgroup")
CONTROL_GROUPS = Path("/sys/fs/cgroup")

NAMES = {
    "v2": ("memory.max", "memory.current", "inactive_file"),
    "v1": ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}
"""Version → the file with the limit, the file with what is in use, and the line of `memory.stat` that is given back."""


def free_memory() -> int:
    """Bytes, as far as the operating system tells: the machine's available memory, cut to its control groups' rest."""
    return min([psutil.virtual_memory().available, *control_group_rests(PROCESS, CONTROL_GROUPS)])


def control_group_rests(process: Path, root: Path) -> list[int]:
    """Bytes that each control group with a limit still leaves, those above it included; none: no limit is known.

    Pages of files that were read long ago count as free: the kernel drops them first.
    """
    return [rest for names, folder in _groups(process, root) if (rest := _rest(folder, *names)) is not None]


def _groups(process: Path, root: Path) -> Iterator[tuple[tuple[str, str, str], Path]]:
    try:
        lines = process.read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        number, controllers, path = line.split(":", 2)
        if number == "0" and not controllers:
            names, top = NAMES["v2"], root
        elif "memory" in controllers.split(","):
            names, top = NAMES["v1"], root / "memory"
        else:
            continue
        inner = top / path.lstrip("/")
        yield from ((names, folder) for folder in (inner, *inner.parents) if folder.is_relative_to(top))


def _rest(folder: Path, limit: str, used: str, given_back: str) -> int | None:
    """Limit - use + what can be given back, of one group; None where it has no limit or is not shown."""
    try:
        most, now = (folder / limit).read_text(), (folder / used).read_text()
        stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        return max(0, int(most) - int(now) + int(stat.get(given_back, 0)))
    except (OSError, ValueError):  # "max", or not here
        return None
