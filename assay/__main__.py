"""``python -m assay`` is the same door as the ``assay`` command."""

from assay.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
