"""The shorter tables at the terminal: leaders of a sweep, split sizes, labels, spellings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Protocol

from assay.metrics import Figure, Rate
from assay.reporting.grid import Column, Grid, show
from assay.reporting.leaders import FailedJob, LeaderRow, rank, which_to_trust
from assay.reporting.numbers import (
    figure_text,
    gate_words,
    number,
    rate_counts,
    rate_short,
    rate_tall,
    undefined_text,
)
from assay.reporting.streams import open_console
from assay.reporting.text import printable
from assay.reporting.words import POSITIVE_CLASS, SIMULATED, SYNTHETIC
from assay.schema import LabelSet, SplitManifest

if TYPE_CHECKING:
    from rich.console import Console


class SizeRow(Protocol):
    """One row of a split's table of sizes; None in `dimension` counts sessions."""

    @property
    def dimension(self) -> str | None: ...  # noqa: D102
    @property
    def result(self) -> str | None: ...  # noqa: D102
    @property
    def agent(self) -> str | None: ...  # noqa: D102
    @property
    def train(self) -> int: ...  # noqa: D102
    @property
    def dev(self) -> int: ...  # noqa: D102
    @property
    def test(self) -> int: ...  # noqa: D102


class AgreementLike(Protocol):
    """How well annotators agree."""

    @property
    def kappa(self) -> Figure: ...  # noqa: D102
    @property
    def n_items(self) -> int: ...  # noqa: D102


def print_leaders(
    rows: Sequence[LeaderRow],
    failed: Sequence[FailedJob] = (),
    *,
    console: Console | None = None,
    file: IO[str] | None = None,
) -> None:
    """Print the leader table of a sweep, the jobs that failed, and which variant to trust.

    Args:
        rows: One per job that came to a result, in any order.
        failed: Jobs that did not, with their overrides and errors.
        console: Console to print to.
        file: Stream to print to when no console is given; None is stdout.
    """
    console = console or open_console(file)
    ranked = rank(rows)
    _say(console, "Leaders, by worst gate, then by lowest bound", style="bold")
    if any(row.simulated for row in ranked):
        _say(console, SIMULATED, style="bold yellow")
    _say(console, POSITIVE_CLASS)
    if ranked:
        console.print()
        show(console, *_leader_layouts(ranked))
        for row in ranked:
            for side, rate, dimension in (
                ("TPR", row.min_tpr, row.min_tpr_dimension),
                ("TNR", row.min_tnr, row.min_tnr_dimension),
            ):
                if rate.value is None:
                    why = undefined_text(rate.undefined)
                    _say(console, f"  {side} of {row.variant}, {dimension}: {why}")
            if row.balanced_accuracy.value is None:
                why = figure_text(row.balanced_accuracy)
                _say(console, f"  balanced accuracy of {row.variant}: {why}")
    if failed:
        console.print()
        _say(console, f"{len(failed)} of {len(failed) + len(ranked)} jobs failed", style="bold red")
        for job in failed:
            _say(console, f"  {' '.join(job.overrides) or 'no overrides'}")
            for line in job.error.splitlines() or ["no message"]:
                _say(console, f"    {line}")
    console.print()
    for line in which_to_trust(ranked):
        _say(console, line, style="bold")


def print_split(
    manifest: SplitManifest,
    sizes: Sequence[SizeRow],
    outlook: Iterable[str] = (),
    *,
    warnings: Iterable[str] = (),
    console: Console | None = None,
    file: IO[str] | None = None,
) -> None:
    """Print how labelled sessions were divided, and what each part can certify.

    Args:
        manifest: The split.
        sizes: Rows of sessions, (dimension, label), then (dimension, label, agent).
        outlook: Lines on what the dev and test labels can confirm.
        warnings: Sentences about the split.
        console: Console to print to.
        file: Stream to print to when no console is given; None is stdout.
    """
    console = console or open_console(file)
    shares = ", ".join(f"{part} {share:.0%}" for part, share in manifest.fractions.items())
    together = "kept together" if manifest.group_by_task else "divided freely"
    _say(console, f"Split: {shares}; seed {manifest.seed}; tasks {together}", style="bold")
    if manifest.synthetic:
        _say(console, SYNTHETIC, style="yellow")
    columns = (
        Column("dimension", folds=True),
        Column("label"),
        Column("agent", folds=True),
        *(Column(part, right=True) for part in ("train", "dev", "test", "total")),
    )
    rows = tuple(_size_cells(row) for row in sizes)
    breaks = frozenset(
        i for i in range(1, len(rows)) if (rows[i][2] == "all") != (rows[i - 1][2] == "all")
    )
    console.print()
    show(console, [Grid(columns, rows, keys=3, sections=breaks)])
    if (furthest := manifest.largest_deviation) is not None:
        _say(
            console,
            f"Furthest from its quota: {furthest.dimension} {furthest.result}, "
            f"{furthest.agent or 'all agents'}, {furthest.part}: {furthest.actual} sessions, "
            f"quota {number(furthest.quota, digits=1)}.",
        )
    _section(console, "What these labels can confirm", outlook)
    merged = [f"{name}: too small alone, merged over agents" for name in manifest.merged_strata]
    _section(console, "Merged strata", merged)
    _section(console, "Equal work with different labels", manifest.text_conflicts)
    _section(console, "Warnings", warnings)


def print_spellings(
    spellings: Mapping[str, tuple[str, int]],
    *,
    title: str = "spellings",
    console: Console | None = None,
    file: IO[str] | None = None,
) -> None:
    """Print how raw values were read, so that a wrong reading is seen before it is counted.

    Args:
        spellings: Raw value -> (what it was read as, count); nothing is printed when empty.
        title: What was read, such as "labels in labels.csv".
        console: Console to print to.
        file: Stream to print to when no console is given; None is stdout.
    """
    if not spellings:
        return
    console = console or open_console(file)
    _say(console, f"How values were read: {title}", style="bold")
    columns = (Column("written", folds=True), Column("read as"), Column("count", right=True))
    rows = tuple(
        (_written(raw), meaning, str(count)) for raw, (meaning, count) in spellings.items()
    )
    show(console, [Grid(columns, rows)])
    console.print()


def print_label_summary(
    labels: LabelSet,
    counts: Mapping[tuple[str, str, str], int],
    agreement: AgreementLike,
    *,
    console: Console | None = None,
    file: IO[str] | None = None,
) -> None:
    """Print what is in a label file.

    Args:
        labels: The labels.
        counts: (dimension, agent or "", Pass or Fail) -> labels.
        agreement: Between annotators.
        console: Console to print to.
        file: Stream to print to when no console is given; None is stdout.
    """
    console = console or open_console(file)
    sessions = len({x.session_id for x in labels.labels})
    _say(console, f"{len(labels.labels)} labels on {sessions} sessions", style="bold")
    if labels.synthetic:
        _say(console, SYNTHETIC, style="yellow")
    columns = (
        Column("dimension", folds=True),
        Column("agent", folds=True),
        Column("Pass", right=True),
        Column("Fail", right=True),
    )
    cells = list(dict.fromkeys((d, a) for d, a, _ in sorted(counts)))
    rows = tuple(
        (d, a or "not known", *(str(counts.get((d, a, r), 0)) for r in ("Pass", "Fail")))
        for d, a in cells
    )
    breaks = frozenset(i for i in range(1, len(rows)) if rows[i][0] != rows[i - 1][0])
    if rows:
        console.print()
        show(console, [Grid(columns, rows, keys=2, sections=breaks)])
    kappa = figure_text(agreement.kappa)
    on = f" on {agreement.n_items} items" if agreement.kappa.value is not None else ""
    _say(
        console,
        f"{labels.unlabelled} rows unlabelled, {labels.undecided} undecided between annotators "
        f"({labels.aggregation}). Annotators agree: kappa {kappa}{on}.",
    )


def _leader_layouts(ranked: Sequence[LeaderRow]) -> tuple[tuple[Grid, ...], ...]:
    variant, panel = Column("variant", folds=True), Column("panel", folds=True)
    rates = (Column("lowest TPR"), Column("lowest TNR"), Column("balanced\naccuracy"))
    trust = (
        Column("worst gate", folds=True),
        Column("coverage", right=True),
        Column("remark", folds=True),
    )

    def measured(row: LeaderRow, shown: Callable[[Rate], str]) -> tuple[str, ...]:
        accuracy = row.balanced_accuracy.value
        return (
            f"{shown(row.min_tpr)}\n{row.min_tpr_dimension}",
            f"{shown(row.min_tnr)}\n{row.min_tnr_dimension}",
            "undefined" if accuracy is None else number(accuracy),
        )

    def trusted(row: LeaderRow) -> tuple[str, ...]:
        return gate_words(row.worst_gate), rate_counts(row.coverage), row.remark

    def whole(shown: Callable[[Rate], str]) -> Grid:
        cells = ((r.variant, r.panel, *measured(r, shown), *trusted(r)) for r in ranked)
        return Grid((variant, panel, *rates, *trust), tuple(cells), keys=2)

    first = Grid(
        (variant, panel, *rates),
        tuple((r.variant, r.panel, *measured(r, rate_tall)) for r in ranked),
        keys=2,
    )
    second = Grid((variant, *trust), tuple((r.variant, *trusted(r)) for r in ranked))
    return (whole(rate_short),), (whole(rate_tall),), (first, second)


def _size_cells(row: SizeRow) -> tuple[str, ...]:
    total = row.train + row.dev + row.test
    return (
        row.dimension or "sessions",
        row.result or "",
        row.agent or "all",
        *(str(count) for count in (row.train, row.dev, row.test, total)),
    )


def _written(raw: str) -> str:
    return f"'{raw}'" if not raw or raw != raw.strip() else raw


def _section(console: Console, title: str, lines: Iterable[str]) -> None:
    told = list(lines)
    if told:
        console.print()
        _say(console, title, style="bold")
        for line in told:
            _say(console, f"  {line}")


def _say(console: Console, text: str, *, style: str = "") -> None:
    from rich.text import Text

    console.print(Text(printable(text), style=style, overflow="fold"))
