"""The door of `mlflow run . -e validate`: the same as `assay validate`."""

import sys

from assay.app.plain_verbs import run_plain

if __name__ == "__main__":
    raise SystemExit(run_plain("validate", sys.argv[1:]))
