"""The synthetic bench set: tiny programs, sessions made from them, and how to read them back.

Pure and below the services, since two of them need it: the stage that writes the
set, and the loopback server that reads sessions from the prompts it is sent. What
each dimension's truth means is written down in `assay.bench.work`, the agents' styles
in `assay.bench.styles`.
"""

from assay.bench.generate import BenchSet, generate
from assay.bench.reader import Reading, read_session
from assay.bench.work import DIMENSIONS, WEIGHTS

__all__ = ["DIMENSIONS", "WEIGHTS", "BenchSet", "Reading", "generate", "read_session"]
