"""The door of `mlflow run . -e dev`: the same stage as `assay dev`."""

import sys

from assay.app import run_door

if __name__ == "__main__":
    raise SystemExit(run_door("dev", sys.argv[1:]))
