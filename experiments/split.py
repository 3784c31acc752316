"""The door of `mlflow run . -e split`: flags become overrides, the stage is the same as `assay split`."""

import sys

from assay.app import run_door

if __name__ == "__main__":
    raise SystemExit(run_door("split", sys.argv[1:]))
