"""The door of `mlflow run . -e synth`: the same stage as `assay synth`."""

import sys

from assay.app import run_door

if __name__ == "__main__":
    raise SystemExit(run_door("synth", sys.argv[1:]))
