"""The versions of what a feature depends on, for the record."""

from __future__ import annotations

import platform
from importlib.metadata import version

LIBRARIES = ("show-attend-tell", "torch", "numpy", "pillow", "h5py", "hdf5plugin")


def library_versions() -> dict[str, str]:
    """Name → version, Python's own included."""
    return {"python": platform.python_version()} | {name: version(name) for name in LIBRARIES}
