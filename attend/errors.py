"""The one exception for a mistake the user can mend."""

from __future__ import annotations


class UserError(Exception):
    """A mistake in what was asked for: one line that names the file, row or option, and the cure.

    Commands print it without a traceback and exit with status 2 (`--debug` shows the traceback).
    """
