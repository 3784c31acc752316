"""Files in and out: labels, verdicts, sessions, pairs, gold sets, criteria, splits.

Every reader reports all faults of a file in one go, each with its line.
"""

from assay.data.combined import Form, load_combined, sniff
from assay.data.criteria import load_criteria
from assay.data.files import write_json, write_jsonl, write_text
from assay.data.gold import load_gold
from assay.data.labels import LabelOptions, load_labels
from assay.data.pairs import PairSet, load_pairs
from assay.data.records_in import load_sessions
from assay.data.split_files import TuningPart, read_manifest, read_tuning_labels, write_split
from assay.data.text import read_text
from assay.data.verdicts import VerdictOptions, load_verdicts

__all__ = [
    "Form",
    "LabelOptions",
    "PairSet",
    "TuningPart",
    "VerdictOptions",
    "load_combined",
    "load_criteria",
    "load_gold",
    "load_labels",
    "load_pairs",
    "load_sessions",
    "load_verdicts",
    "read_manifest",
    "read_text",
    "read_tuning_labels",
    "sniff",
    "write_json",
    "write_jsonl",
    "write_split",
    "write_text",
]
