"""What `assay VERB --help` prints for the configured verbs, from the configuration itself."""

from __future__ import annotations

from assay.app.composing import conf_dir, options_of
from assay.app.flags import GROUPS

_EXAMPLES = {
    "synth": ["assay synth data.dir=bench data.size=200 data.seed=3"],
    "split": ["assay split", "assay split data=files data.dir=mine split=merged"],
    "dev": [
        "assay dev judge=strict panel=poll",
        "assay dev -m judge=baseline,strict,few_shot panel=poll",
        "assay dev data=files data.dir=mine panel=recorded panel.verdicts=verdicts.jsonl",
    ],
    "reap": ["assay reap"],
}


def verb_help(verb: str, summary: str) -> str:
    """Usage, options of every group with when to choose them, and examples."""
    base = conf_dir()
    lines = [f"usage: assay {verb} [overrides] [-m] [--json] [--cfg job] [--config-dir DIR]", ""]
    lines += [summary, "", "groups and their options:"]
    for group in GROUPS:
        for option in options_of(group, (base,)):
            first = (base / group / f"{option}.yaml").read_text(encoding="utf-8").splitlines()[0]
            lines.append(f"  {group + '=' + option:<24} {first.lstrip('# ')}")
    lines += ["", "examples:"]
    lines += [f"  {example}" for example in _EXAMPLES[verb]]
    return "\n".join(lines)
