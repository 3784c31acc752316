"""JSON Schema of the public records, for editors, other languages and the documentation.

    python -m assay.schema.export docs/reference/schema

A field's description is the text under the field in the source, so that the
schema, the docs and the source cannot say different things.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.errors import InputError
from assay.schema.base import Record
from assay.schema.gold import GoldQuestion
from assay.schema.records import HumanLabel, PairLabel, PairVerdict, Session, Verdict
from assay.schema.reports import DimensionMetrics, SplitManifest, ValidationReport
from assay.schema.specs import (
    Criterion,
    DataSpec,
    JudgeSpec,
    MemberSpec,
    PanelSpec,
    PolicySpec,
    SplitSpec,
    TrackingSpec,
)

_DIALECT = "https://json-schema.org/draft/2020-12/schema"

PUBLIC: tuple[type[Record], ...] = (
    HumanLabel,
    Session,
    Verdict,
    PairLabel,
    PairVerdict,
    GoldQuestion,
    Criterion,
    SplitManifest,
    DimensionMetrics,
    ValidationReport,
    JudgeSpec,
    MemberSpec,
    PanelSpec,
    DataSpec,
    SplitSpec,
    PolicySpec,
    TrackingSpec,
)
"""Records that users write or read as files; what they are made of comes along in `$defs`."""


def json_schemas() -> dict[str, dict[str, Any]]:
    """JSON Schema (draft 2020-12) of every public record.

    Returns:
        Record name -> its schema, complete in itself.
    """
    return {
        record.__name__: {"$schema": _DIALECT, **record.model_json_schema()} for record in PUBLIC
    }


def text_of(schema: dict[str, Any]) -> str:
    """A schema as it stands in its file."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def write_schemas(folder: Path) -> list[Path]:
    """Write `<Name>.json` for each public record; files of records that are gone are removed.

    Args:
        folder: Where to; made if need be. It should hold schemas and nothing else.

    Returns:
        The files written.

    Raises:
        InputError: If the folder holds a JSON file that is no schema of ours.
    """
    schemas = json_schemas()
    folder.mkdir(parents=True, exist_ok=True)
    for old in sorted(folder.glob("*.json")):
        if old.stem not in schemas and _DIALECT not in old.read_text(encoding="utf-8"):
            message = f"{old}: not a schema of assay; give a folder that holds schemas only."
            raise InputError(message)
        if old.stem not in schemas:
            old.unlink()
    written: list[Path] = []
    for name, schema in schemas.items():
        path = folder / f"{name}.json"
        path.write_text(text_of(schema), encoding="utf-8", newline="\n")
        written.append(path)
    return written


def main(argv: Sequence[str] | None = None) -> int:
    """Write the schemas to the folder named on the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args(argv).folder
    try:
        written = write_schemas(folder)
    except InputError as error:
        parser.exit(error.exit_code, f"{error}\n")
    print(f"{len(written)} schemas written to {folder}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
