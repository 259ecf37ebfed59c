"""What a photo's file was when its features were made: so that another photo under the same name is noticed."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from attend.errors import UserError


@dataclass(frozen=True)
class PhotoFile:
    """A file's size in bytes, its modification time in nanoseconds, and the sha256 of its bytes."""

    size: int
    mtime_ns: int
    sha256: str

    def record(self) -> str:
        """`SIZE TIME SHA256`, one text a photo: a manifest of 120,000 of them still opens at once."""
        return f"{self.size} {self.mtime_ns} {self.sha256}"

    @classmethod
    def parse(cls, record: str) -> PhotoFile:
        """The inverse of `record`. UserError: it is none."""
        try:
            size, mtime_ns, digest = record.split(" ")
            return cls(int(size), int(mtime_ns), digest)
        except (ValueError, AttributeError) as error:
            cure = "restore the manifest, or give --rebuild"
            raise UserError(
                f"a photo's record in the manifest is {record!r}, not `SIZE TIME SHA256`: {cure}"
            ) from error


def photos_identity(records: Iterable[tuple[str, str | None]]) -> str:
    """sha256 over image ids and the bytes of their photos, of (id, record) pairs: equal for the same photos wherever
    and since whenever their files lie. "": one of the photos is not known."""
    digest = sha256()
    for image_id, record in records:
        if record is None:
            return ""
        digest.update(f"{image_id}\0{PhotoFile.parse(record).sha256}\n".encode(errors="surrogateescape"))
    return digest.hexdigest()


def photo_stat(path: Path) -> os.stat_result:
    """The state of a file. OSError: there is none, or reading it would never end."""
    state = path.stat()
    if not stat.S_ISREG(state.st_mode) and not stat.S_ISDIR(state.st_mode):
        raise OSError(errno.EINVAL, "it is a pipe or a device")
    return state


def read_photo_file(path: Path) -> tuple[bytes, PhotoFile]:
    """The bytes of a file and what they are. OSError: it cannot be read."""
    photo_stat(path)
    with path.open("rb") as file:
        mtime_ns = os.fstat(file.fileno()).st_mtime_ns
        content = file.read()
    return content, PhotoFile(len(content), mtime_ns, sha256(content).hexdigest())
