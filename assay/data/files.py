"""Write files whole or not at all, and never over something else."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from assay.errors import InputError
from assay.schema import Record


def write_text(path: Path, text: str, *, overwrite: bool = False) -> None:
    """Write UTF-8 text by way of a temporary file in the same folder.

    Writing what is already there changes nothing.

    Args:
        path: Target; its folder is made.
        text: Content.
        overwrite: Replace a file with other content.

    Raises:
        InputError: If a file with other content is there and `overwrite` is False.
    """
    data = text.encode("utf-8")
    if path.exists():
        if path.is_file() and path.read_bytes() == data:
            return
        if not overwrite:
            message = f"{path}: is there already with other content; move it or name another."
            raise InputError(message)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        # mkstemp makes the file private; results are as readable as any other file.
        Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_jsonl(path: Path, records: Iterable[Record], *, overwrite: bool = False) -> None:
    """Write records as JSON Lines, one object a line, in the order given."""
    lines = (r.model_dump_json() + "\n" for r in records)
    write_text(path, "".join(lines), overwrite=overwrite)


def write_record(path: Path, record: Record, *, overwrite: bool = False) -> None:
    """Write one record as indented JSON."""
    write_text(path, record.model_dump_json(indent=2) + "\n", overwrite=overwrite)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
