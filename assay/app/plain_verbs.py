"""The verbs that take files: `validate`, `labels`, `gold`, and `demo` with its folder.

argparse reads the files and switches; whatever is left are Hydra overrides for
the policy and the store.
"""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from assay.app.composing import compose
from assay.app.doors import guarded
from assay.app.flags import parse_flags
from assay.data import LabelOptions, VerdictOptions
from assay.errors import InputError


def run_plain(verb: str, argv: list[str], *, start: Path | None = None) -> int:
    """Run a verb that takes files and return its exit code.

    Args:
        verb: validate, labels, gold or demo.
        argv: Words after the verb.
        start: Folder for relative paths; the current one by default.

    Returns:
        Exit code as in `assay.errors`.
    """
    where = (start or Path.cwd()).resolve()
    parser = _PARSERS[verb]()
    own, rest = _divide(argv, parser)
    # Files and overrides may stand anywhere between the flags.
    arguments = parser.parse_intermixed_args(own)
    arguments.command = shlex.join(["assay", verb, *argv])
    return guarded(verb, lambda: _RUNNERS[verb](arguments, rest, where))


def _parser(verb: str, text: str, epilog: str) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(
        prog=f"assay {verb}",
        description=text,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def _divide(argv: list[str], parser: argparse.ArgumentParser) -> tuple[list[str], list[str]]:
    """The parser's own words, and `--key value` flags that are meant for the configuration."""
    flags = set(parser.format_usage().replace("[", " ").replace("]", " ").split())
    own: list[str] = []
    rest: list[str] = []
    words = iter(argv)
    for word in words:
        name = word.partition("=")[0]
        if not word.startswith("--") or name in flags | {"--help"}:
            own.append(word)
            continue
        rest.append(word)
        if "=" not in word and (value := next(words, None)) is not None:
            rest.append(value)
    return own, rest


def _reading_flags(parser: argparse.ArgumentParser) -> None:
    """Flags for label files that do not use our names."""
    parser.add_argument("--map", action="append", metavar="RAW=MEANING", help="a spelling of yours")
    parser.add_argument(
        "--column", action="append", metavar="FIELD=NAME", help="your name for one of our fields"
    )
    parser.add_argument("--annotators", metavar="A,B", help="wide labels: one column per annotator")
    parser.add_argument("--dimensions", metavar="A,B", help="wide labels: one column per dimension")
    parser.add_argument(
        "--rule", choices=["majority", "unanimous"], default="majority",
        help="how several annotators' votes become one label",
    )  # fmt: skip
    parser.add_argument("--dimension", metavar="NAME", help="dimension of rows that name none")


def _label_options(arguments: argparse.Namespace) -> LabelOptions:
    return LabelOptions(
        columns=_pairs(arguments.column, "--column", "--column 'FIELD=YOUR COLUMN'"),
        spellings=_mapping(arguments.map),
        annotator_columns=_names(arguments.annotators),
        dimension_columns=_names(arguments.dimensions),
        dimension=arguments.dimension,
        rule=arguments.rule,
    )


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def _mapping(words: list[str] | None) -> dict[str, str]:
    form = "--map 'RAW=Pass', 'RAW=Fail' or 'RAW=unlabelled'"
    return _pairs(words, "--map", form)


def _pairs(words: list[str] | None, flag: str, form: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in words or []:
        left, equals, right = word.partition("=")
        if not equals or not left:
            message = f"{flag} {word}: write {form}."
            raise InputError(message)
        found[left] = right
    return found


def _validate_parser() -> argparse.ArgumentParser:
    parser = _parser(
        "validate",
        "Measure verdicts you already have against human labels. No model is called.",
        "examples:\n"
        "  assay validate --labels labels.csv --verdicts verdicts.jsonl\n"
        "  assay validate both.binary.jsonl --json\n"
        "  assay validate --labels l.csv --verdicts v.csv --map good=Pass policy=exploratory\n\n"
        "Words that are no flag are Hydra overrides for policy and tracking.",
    )
    parser.add_argument(
        "words", nargs="*", metavar="FILE | OVERRIDE", help="one file with both; or overrides"
    )
    parser.add_argument("--labels", type=Path, metavar="FILE", help="JSONL, JSON, CSV or TSV")
    parser.add_argument("--verdicts", type=Path, metavar="FILE", help="JSONL, JSON, CSV or TSV")
    parser.add_argument("--judges", metavar="A,B", help="wide verdicts: one column per judge")
    _reading_flags(parser)
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    return parser


def _labels_parser() -> argparse.ArgumentParser:
    parser = _parser(
        "labels",
        "Read a label file: counts, spellings, agreement, and every fault with its line.",
        "example:\n  assay labels labels.csv --map NA=unlabelled",
    )
    parser.add_argument("file", type=Path)
    parser.add_argument(
        "words", nargs="*", metavar="OVERRIDE", help="overrides, policy=exploratory"
    )
    _reading_flags(parser)
    parser.add_argument("--json", action="store_true", help="print counts as JSON")
    return parser


def _gold_parser() -> argparse.ArgumentParser:
    parser = _parser(
        "gold", "Read a gold set and report every fault.", "example:\n  assay gold check gold.jsonl"
    )
    parser.add_argument("action", choices=["check"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--json", action="store_true", help="print counts as JSON")
    return parser


def _demo_parser() -> argparse.ArgumentParser:
    parser = _parser(
        "demo",
        "The main job on synthetic data with SIMULATED judges, in a folder of its own.",
        "example:\n  assay demo --dir assay-demo",
    )
    parser.add_argument("--dir", type=Path, default=Path("assay-demo"), help="folder to work in")
    parser.add_argument("--json", action="store_true", help="print the leader table as JSON")
    return parser


def _validate(arguments: argparse.Namespace, rest: list[str], start: Path) -> int:
    from assay import stages

    # An override is told from a file by its equals sign, unless such a file exists.
    files = [w for w in arguments.words if "=" not in w or (start / w).is_file()]
    overrides = [w for w in arguments.words if w not in files]
    if len(files) > 1:
        message = (
            f"{' '.join(files)}: got {len(files)} files; give one combined file, or name them: "
            "--labels FILE --verdicts FILE."
        )
        raise InputError(message)
    if bool(files) == bool(arguments.labels or arguments.verdicts):
        message = "give one combined FILE, or both --labels FILE and --verdicts FILE."
        raise InputError(message)
    if not files and not (arguments.labels and arguments.verdicts):
        missing = "--verdicts" if arguments.labels else "--labels"
        message = f"{missing} FILE is missing; labels and verdicts are both needed."
        raise InputError(message)
    run = compose(parse_flags([*overrides, *rest]), start=start)
    options = _label_options(arguments)
    source = stages.VerdictSource(
        command=arguments.command,
        combined=start / files[0] if files else None,
        labels=start / arguments.labels if arguments.labels else None,
        verdicts=start / arguments.verdicts if arguments.verdicts else None,
        label_options=options,
        verdict_options=VerdictOptions(
            columns=options.columns if "verdict" in options.columns else {},
            spellings=options.spellings,
            judge_columns=_names(arguments.judges),
            dimension=options.dimension,
        ),
    )
    return stages.validate(run, source, as_json=arguments.json)


def _labels(arguments: argparse.Namespace, rest: list[str], start: Path) -> int:
    from assay import stages

    run = compose(parse_flags([*arguments.words, *rest]), start=start)
    return stages.labels(
        run, start / arguments.file, options=_label_options(arguments), as_json=arguments.json
    )


def _gold(arguments: argparse.Namespace, rest: list[str], start: Path) -> int:
    from assay import stages

    if rest:
        message = f"{' '.join(rest)}: not understood; usage: assay gold check FILE [--json]"
        raise InputError(message)
    return stages.gold_check(start / arguments.file, as_json=arguments.json)


def _demo(arguments: argparse.Namespace, rest: list[str], start: Path) -> int:
    from assay import stages

    folder = (start / arguments.dir).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    jobs = [
        stages.SweepJob(
            overrides=(f"judge={variant}", "panel=poll", *rest),
            compose=lambda variant=variant: compose(
                parse_flags([f"judge={variant}", "panel=poll", *rest]), start=folder
            ),
        )
        for variant in stages.DEMO_VARIANTS
    ]
    return stages.demo(jobs, as_json=arguments.json)


_PARSERS = {
    "validate": _validate_parser,
    "labels": _labels_parser,
    "gold": _gold_parser,
    "demo": _demo_parser,
}
_RUNNERS = {"validate": _validate, "labels": _labels, "gold": _gold, "demo": _demo}
