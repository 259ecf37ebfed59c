"""How to extract: nothing here changes a feature."""

from __future__ import annotations

from dataclasses import dataclass

from attend.data.store_format import DEFAULT_CODEC, codec_arguments
from attend.errors import UserError

ON_ERROR = ("skip", "stop")


@dataclass(frozen=True)
class Options:
    """`codec` None: the store's own, or the default for a new one. `threads` decode photos, `batch` of them are encoded
    at once. `on_error`: `skip` leaves a photo that cannot be read out and reports it, `stop` ends the work there.
    `rebuild` deletes the store that is there. `shard_rows` photos a shard, None as for `codec`. UserError: a value that
    makes no sense."""

    codec: str | None = None
    batch: int = 50
    threads: int = 2
    on_error: str = "skip"
    rebuild: bool = False
    shard_rows: int | None = None

    def __post_init__(self) -> None:
        codec_arguments(self.codec or DEFAULT_CODEC)
        if self.on_error not in ON_ERROR:
            raise UserError(f"ON_ERROR={self.on_error} is unknown: {' or '.join(ON_ERROR)}")
        if self.batch < 1:
            raise UserError(f"--batch {self.batch}: at least 1")
        if self.threads < 1:
            raise UserError(f"--threads {self.threads}: at least 1")
        if self.shard_rows is not None and self.shard_rows < 1:
            raise UserError(f"SHARD_ROWS={self.shard_rows}: at least 1")
