"""`assay gold check`: is this gold set fit to be judged point by point?"""

from __future__ import annotations

from pathlib import Path

from assay.data import load_gold
from assay.reporting import say, say_json


def gold_check(path: Path, *, as_json: bool = False) -> int:
    """Read a gold set; every fault is reported with its line, several in one go.

    Args:
        path: JSONL file of questions.
        as_json: Print counts as JSON.

    Returns:
        0 for a set without a fault.

    Raises:
        LabelFileError: With every fault found.
    """
    gold = load_gold(path)
    counts = {
        "questions": len(gold.questions),
        "required_points": sum(len(q.must_include) for q in gold.questions),
        "questions_with_forbidden_claims": sum(bool(q.must_not_claim) for q in gold.questions),
        "expected_pages": len({p for q in gold.questions for p in q.expected_paths}),
    }
    if as_json:
        say_json({"file": str(path), **counts})
        return 0
    say(
        f"{path}: {counts['questions']} questions, {counts['required_points']} required points, "
        f"{counts['questions_with_forbidden_claims']} questions with forbidden claims, "
        f"{counts['expected_pages']} expected pages. No fault found."
    )
    return 0
