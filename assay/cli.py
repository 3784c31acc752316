"""`assay VERB [overrides]`: find the verb, run its stage, return its exit code.

Nothing heavy is imported until a verb needs it, so that `assay --help` answers
at once.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

from assay import __version__

_EPILOG = """\
configured verbs take Hydra overrides: group=option (judge=strict), key.path=value
(judge.temperature=0.3), -m to sweep (assay dev -m judge=baseline,strict), --cfg job
to print the composed configuration, --config-dir DIR for options of your own.

exit codes: 0 done, 1 a bug of assay, 2 input or configuration, 3 the rules of
measurement say no, 4 judging failed, 5 tracking failed, 130 and 143 interrupted.

Pass is the positive class: FP = false pass (judge too lenient), FN = false fail
(judge too strict).
"""

_VERBS: dict[str, str] = {
    "demo": "the whole story on synthetic data with SIMULATED judges, then the MLflow UI line",
    "synth": "write the synthetic bench set: sessions, labels, pairs",
    "split": "divide labelled sessions into train, dev and test",
    "dev": "judge the dev part, measure against its labels, record in MLflow",
    "validate": "measure verdicts you already have; no model is called",
    "labels": "read a label file and say what is in it, and what is wrong with it",
    "gold": "read a gold set and say what is wrong with it",
    "reap": "close MLflow runs left RUNNING by processes that are gone",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point of the `assay` command; returns the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    parser = argparse.ArgumentParser(
        prog="assay",
        description="Does your LLM judge deserve trust? Measure it against human labels.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"assay {__version__}")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for verb, text in _VERBS.items():
        # The verbs parse their own words: Hydra's grammar is not argparse's.
        verbs.add_parser(verb, help=text, add_help=False)
    known, rest = parser.parse_known_args(words[:1]), words[1:]
    run: Callable[[str, list[str]], int] = _plain if known[0].verb in _PLAIN else _configured
    return run(known[0].verb, rest)


_PLAIN = frozenset({"validate", "labels", "gold", "demo"})
"""Verbs with files as arguments, read by argparse."""


def _configured(verb: str, rest: list[str]) -> int:
    if "-h" in rest or "--help" in rest:
        from assay.app.help_text import verb_help

        print(verb_help(verb, _VERBS[verb]))
        return 0
    from assay.app import run_door

    return run_door(verb, rest)


def _plain(verb: str, rest: list[str]) -> int:
    from assay.app.plain_verbs import run_plain

    return run_plain(verb, rest)
