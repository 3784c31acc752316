"""Write files whole or not at all, and never over something else."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from assay.errors import InputError
from assay.schema import Record


def write_text(path: Path, text: str, *, overwrite: bool = False) -> None:
    r"""Write UTF-8 text by way of a temporary file in the same folder.

    Writing what is already there changes nothing. Line ends stay `\n` on every
    platform.

    Args:
        path: Target; its folder is made.
        text: Content.
        overwrite: Replace a file with other content.

    Raises:
        InputError: If a file with other content is there and `overwrite` is
            False, the text cannot be written as UTF-8, or the disk refuses.
    """
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        message = f"{path}: the text holds half of a surrogate pair, which is no character."
        raise InputError(message) from error
    try:
        if path.exists():
            if path.is_file() and path.read_bytes() == data:
                return
            if not overwrite or not path.is_file():
                message = f"{path}: is there already with other content; move it or name another."
                raise InputError(message)
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, data)
    except OSError as error:
        message = f"{path}: cannot be written: {error.strerror}."
        raise InputError(message) from error


def _replace(path: Path, data: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
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


def write_jsonl(
    path: Path, records: Iterable[Record | dict[str, Any]], *, overwrite: bool = False
) -> None:
    """Write records as JSON Lines, one object a line, in the order given.

    Args:
        path: Target; its folder is made.
        records: Records, or dictionaries ready for JSON.
        overwrite: Replace a file with other content.

    Raises:
        InputError: As `write_text`, or if a value is no JSON, NaN included.
    """
    write_text(path, "".join(_json(r, path, None) + "\n" for r in records), overwrite=overwrite)


def write_json(path: Path, value: Any, *, overwrite: bool = False) -> None:  # noqa: ANN401
    """Write one record or JSON-ready value as indented JSON.

    Args:
        path: Target; its folder is made.
        value: A record, or anything ready for JSON.
        overwrite: Replace a file with other content.

    Raises:
        InputError: As `write_text`, or if the value is no JSON, NaN included.
    """
    write_text(path, _json(value, path, 2) + "\n", overwrite=overwrite)


def _json(value: Any, path: Path, indent: int | None) -> str:  # noqa: ANN401
    try:
        if isinstance(value, Record):
            value = value.model_dump(mode="json")
        separators = (",", ":") if indent is None else None
        return json.dumps(
            value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators
        )
    except (TypeError, ValueError) as error:
        message = f"{path}: cannot be written as JSON: {error}."
        raise InputError(message) from error


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
