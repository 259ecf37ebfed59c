"""Ways to extract that make no sense are named."""

from __future__ import annotations

import pytest

from attend.errors import UserError
from attend.extract.options import Options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"on_error": "ignore"}, "ON_ERROR=ignore is unknown: skip or stop"),
        ({"batch": 0}, "--batch 0: at least 1"),
        ({"threads": -1}, "--threads -1: at least 1"),
        ({"shard_rows": 0}, "SHARD_ROWS=0: at least 1"),
        ({"codec": "zip"}, "unknown codec 'zip': one of zstd"),
    ],
)
def test_options_that_make_no_sense(options, message):
    with pytest.raises(UserError, match=message):
        Options(**options)
