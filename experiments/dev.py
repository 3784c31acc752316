"""The door of `mlflow run . -e dev`: flags become overrides, the stage is the same as `assay dev`."""

import sys

from assay.app import run_door

if __name__ == "__main__":
    raise SystemExit(run_door("dev", sys.argv[1:]))
