"""The door of `mlflow run . -e synth`: flags become overrides, the stage is the same as `assay synth`."""

import sys

from assay.app import run_door

if __name__ == "__main__":
    raise SystemExit(run_door("synth", sys.argv[1:]))
