"""Ask models for verdicts, or take recorded ones; every answer ends in a verdict with a state.

The only room that talks to model endpoints. Importing it loads no client library.
"""

from assay.judges.judged import Judged
from assay.judges.judging import judge_sessions
from assay.judges.keys import require_keys
from assay.judges.loopback import kept_servers
from assay.judges.pairing import PairReading, read_pair_reply, render_pair
from assay.judges.panel import majority, panel_verdicts
from assay.judges.prompt import RenderedPrompt, fingerprint
from assay.judges.recorded import judged_from_record
from assay.judges.reply import PARSER_VERSION, Reading, read_reply
from assay.judges.template import PromptTemplate, parse_template

__all__ = [
    "PARSER_VERSION",
    "Judged",
    "PairReading",
    "PromptTemplate",
    "Reading",
    "RenderedPrompt",
    "fingerprint",
    "judge_sessions",
    "judged_from_record",
    "kept_servers",
    "majority",
    "panel_verdicts",
    "parse_template",
    "read_pair_reply",
    "read_reply",
    "render_pair",
    "require_keys",
]
