"""Everything that can go wrong in a way a user can mend, and its exit code.

    AssayError                  1   our bug, if nothing below fits
      InputError                2   a file or an argument
        LabelFileError          2   labels, verdicts, sessions, gold sets: file:line
        ConfigError             2   the composed configuration
        AlignmentError          2   labels and verdicts that do not meet
      ProtocolError             3   the rules of measurement say no
        TooFewLabels            3   a stratum or class too small to measure
        LeakageError            3   test or dev material where only train may be
        StaleRunError           3   a resume that would rewrite history
      JudgeError                4   judging failed
        EndpointError           4   the model's endpoint
      TrackingError             5   MLflow, its store or its files

Exit code 0 means done. A message says where, what was got, and what to do, in
that order. Rooms wrap lower exceptions at their door with ``from``.
"""

from __future__ import annotations

from collections.abc import Sequence


class AssayError(Exception):
    """Base of all errors that `assay` raises on purpose."""

    exit_code = 1


class InputError(AssayError):
    """A file or an argument that cannot be used as it is."""

    exit_code = 2


class LabelFileError(InputError):
    """One or several faults in one data file, each with its place.

    Attributes:
        faults: One complete sentence per fault, each starting ``file:line:``.
    """

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(self.faults))


class ConfigError(InputError):
    """The composed configuration holds an unknown key, a wrong type or a bad value."""


class AlignmentError(InputError):
    """Labels and verdicts share too few ids to be compared."""


class ProtocolError(AssayError):
    """The rules of honest measurement refuse what was asked."""

    exit_code = 3


class TooFewLabels(ProtocolError):  # noqa: N818 - named for what the user has, as in the docs
    """A class or stratum is too small for what was asked of it."""


class LeakageError(ProtocolError):
    """Material from dev or test was about to reach a prompt."""


class StaleRunError(ProtocolError):
    """Resuming would rewrite what an earlier run recorded."""


class JudgeError(AssayError):
    """Judging failed in a way that no verdict state can express."""

    exit_code = 4


class EndpointError(JudgeError):
    """The endpoint cannot be used at all: key, address, model or quota."""


class TrackingError(AssayError):
    """MLflow's store refused or failed; local results are kept."""

    exit_code = 5
