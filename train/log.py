"""What a run tells: JSON lines for programs, TensorBoard for eyes, short lines for the terminal."""

from __future__ import annotations

import io
import json
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from PIL.Image import Image
from tensorboard.compat.proto.summary_pb2 import Summary
from torch.utils.tensorboard import SummaryWriter

from attend.errors import UserError

JPEG_QUALITY, RGB = 85, 3


class RunLog:
    """Appends to `log.jsonl` and to TensorBoard files under `tensorboard/`.

    `size` is stored in checkpoints; a start at `step` cuts the file back to it, so no step is told twice. An error that
    ends the `with` is not replaced by one of closing, as on a full disk, where both fail.
    """

    def __init__(self, folder: Path, size: int = 0, step: int = 0) -> None:
        self.file = (folder / "log.jsonl").open("ab")
        self.file.truncate(min(size, self.file.tell()))
        self.file.seek(0, 2)
        self.told_by_threads, threading.excepthook = threading.excepthook, self._told
        try:
            self.board = SummaryWriter(str(folder / "tensorboard"), purge_step=step + 1)
        except OSError:
            threading.excepthook = self.told_by_threads
            raise

    @property
    def size(self) -> int:
        """Bytes written so far."""
        self.file.flush()
        return self.file.tell()

    def write(self, kind: str, step: int, **values: Any) -> None:
        """One event; numbers also go to TensorBoard as `kind/name`."""
        line = {"kind": kind, "step": step, "time": round(time.time(), 3), **values}
        self.file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
        self.file.flush()
        for name, value in values.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                self.board.add_scalar(f"{kind}/{name}", value, step)

    def picture(self, name: str, step: int, picture: Image) -> None:
        """A picture, for TensorBoard alone; as JPEG, so that those of a long run stay small."""
        file = io.BytesIO()
        picture.convert("RGB").save(file, "JPEG", quality=JPEG_QUALITY)
        shown = Summary.Image(
            height=picture.height, width=picture.width, colorspace=RGB, encoded_image_string=file.getvalue()
        )
        writer = self.board.file_writer
        if writer is not None:
            writer.add_summary(Summary(value=[Summary.Value(tag=name, image=shown)]), step)

    def close(self) -> None:
        """Flush and close both."""
        try:
            self.file.close()
            self.board.close()
        finally:
            threading.excepthook = self.told_by_threads

    def __enter__(self) -> RunLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.close()
        except OSError:
            if error is None:
                raise

    def _told(self, failed: threading.ExceptHookArgs) -> None:
        """TensorBoard's thread says nothing of a disk that fails: the next write, or `close`, raises its error."""
        if not (isinstance(failed.exc_value, OSError) and type(failed.thread).__module__.startswith("tensorboard.")):
            self.told_by_threads(failed)


class SilentLog:
    """The log of a process that is not the first one."""

    size = 0

    def write(self, kind: str, step: int, **values: Any) -> None:
        """Nothing: the first process tells it."""

    def picture(self, name: str, step: int, picture: Image) -> None:
        """Nothing, too."""

    def __enter__(self) -> SilentLog:
        return self

    def __exit__(self, *error: object) -> None:
        pass


def read_log(path: Path) -> list[dict[str, Any]]:
    """All events of a `log.jsonl`, in order; a last line that a kill cut off is none. UserError: a damaged line."""
    *whole, _ = path.read_text(encoding="utf-8", errors="replace").split("\n")
    events = []
    for number, line in enumerate(whole, start=1):
        try:
            events.append(json.loads(line))
        except ValueError as error:
            raise UserError(f"{path}, line {number}, is damaged ({error}): restore the file or delete it") from None
    return events
