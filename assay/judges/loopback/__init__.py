"""The embedded default judge: SIMULATED models behind a server on 127.0.0.1.

The models err at declared, planted rates, so that everything downstream can be
checked against a known truth. They know synthetic sessions only and never give
a verdict on anything else. The server runs in a process of its own.
"""

from assay.judges.loopback.process import running_server
from assay.judges.loopback.shared import kept_servers, simulated_server

__all__ = ["kept_servers", "running_server", "simulated_server"]
