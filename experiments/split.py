"""The door of `mlflow run . -e split`: the same stage as `assay split`."""

import sys

from assay.app import run_door

if __name__ == "__main__":
    raise SystemExit(run_door("split", sys.argv[1:]))
