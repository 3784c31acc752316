"""The door of `mlflow run . -e demo`: the same as `assay demo`."""

import sys

from assay.app.plain_verbs import run_plain

if __name__ == "__main__":
    raise SystemExit(run_plain("demo", sys.argv[1:]))
