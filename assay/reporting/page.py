"""The frame of every HTML page: one file, no outside resource, light and dark, nothing runs.

The pages show names and rationales that nobody vetted. Everything is escaped, and
the content policy in the page forbids scripts, images and addresses all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.reporting.text import in_html
from assay.reporting.words import SIMULATED, SYNTHETIC
from assay.schema import ValidationReport

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --paper: #ffffff;
  --line: #d0d7de; --band: #f6f8fa; --agree: #d6e8f7; --agree-edge: #0072b2;
  --lenient: #fbe0cf; --lenient-edge: #b54a00; --strict: #f3dcea; --strict-edge: #8f3f73;
  --none: #eceff2; --alarm: #fff3c4; --alarm-edge: #8a6d00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9aa4af;
  --paper: #0f141a; --line: #3a434d; --band: #171d25; --agree: #123049; --agree-edge: #56b4e9;
  --lenient: #4a2610; --lenient-edge: #f0955a; --strict: #43223a; --strict-edge: #e0a0c8;
  --none: #222a33; --alarm: #3d3200; --alarm-edge: #f0d060; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; max-width: 94rem; background: var(--paper);
  color: var(--ink); font: 14px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial,
  sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; overflow-wrap: anywhere; }
p { max-width: 62rem; margin: .4rem 0; overflow-wrap: anywhere; }
.soft { color: var(--soft); }
.banner { padding: .5rem .9rem; margin: 0 0 .6rem; max-width: none;
  border: 2px solid var(--alarm-edge); border-radius: 6px; background: var(--alarm);
  font-weight: 700; }
.verdict { padding: .8rem 1rem; margin: 1rem 0; border-left: 5px solid var(--agree-edge);
  background: var(--band); font-size: 1.05rem; max-width: none; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: 0 0 .4rem; }
th, td { padding: .35rem .6rem; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; }
thead th { background: var(--band); border-bottom: 2px solid var(--line); white-space: nowrap; }
tbody th { font-weight: 600; min-width: 8.5rem; overflow-wrap: break-word; }
td.count { text-align: right; }
td.rate { white-space: nowrap; }
td.rate .why, td.long { white-space: normal; min-width: 9rem; overflow-wrap: anywhere; }
ul { padding-left: 1.2rem; margin: .4rem 0; } li { margin: .2rem 0; overflow-wrap: anywhere; }
pre { background: var(--band); padding: .7rem .9rem; border-radius: 6px; overflow-x: auto; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
code, dd.digest { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
  font-size: .9em; }
.matrices { display: grid; grid-template-columns: repeat(auto-fit, minmax(27rem, 1fr));
  gap: 1.5rem 2rem; align-items: start; }
.matrix { min-width: 0; }
.matrix h2 { margin: 0 0 .4rem; }
.matrix table { width: 100%; table-layout: fixed; border-collapse: separate; border-spacing: 4px; }
.matrix th { border: 0; min-width: 0; background: none; white-space: normal; text-align: center;
  vertical-align: middle; padding: .3rem; }
.matrix td { border: 2px solid transparent; border-radius: 8px; text-align: center;
  padding: .6rem .3rem; line-height: 1.3; }
.matrix td b { display: block; font-size: 1.7rem; line-height: 1.2; }
.matrix .agree { background: var(--agree); border-color: var(--agree-edge); }
.matrix .lenient { background: var(--lenient); border-color: var(--lenient-edge); }
.matrix .strict { background: var(--strict); border-color: var(--strict-edge); }
.matrix .none { background: var(--none); border: 2px dashed var(--line); }
.rates { margin: .5rem 0 0; }
@media print { body { max-width: none; } .matrix { break-inside: avoid; } }
@media (max-width: 32rem) { body { padding: .8rem; }
  .matrices { grid-template-columns: 1fr; } .matrix td { font-size: .85rem; } }
"""


def page(title: str, body: str) -> str:
    """A whole HTML document.

    Args:
        title: Plain text.
        body: HTML, escaped by whoever wrote it.

    Returns:
        The document.
    """
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{in_html(title)}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def banners(report: ValidationReport) -> str:
    """What a reader must know before any number."""
    told = [SIMULATED] if report.simulated else []
    told += [SYNTHETIC] if report.labels.synthetic else []
    return "".join(f'<p class="banner" role="note">{in_html(text)}</p>\n' for text in told)


def paragraph(text: str, *, kind: str = "") -> str:
    """One paragraph of plain text."""
    attribute = f' class="{kind}"' if kind else ""
    return f"<p{attribute}>{in_html(text)}</p>\n"


def bullets(title: str, lines: Sequence[str]) -> str:
    """A headed list; nothing at all when there are no lines."""
    if not lines:
        return ""
    items = "".join(f"<li>{in_html(line)}</li>\n" for line in lines)
    return f"<h2>{in_html(title)}</h2>\n<ul>\n{items}</ul>\n"


def table(
    caption: str, headings: Sequence[str], rows: Iterable[Sequence[str]], *, keys: int = 1
) -> str:
    """A table whose cells are HTML already.

    Args:
        caption: Plain text.
        headings: Plain text per column.
        rows: Cells: whole `<td>` elements, or plain text for the leading `keys` columns.
        keys: Leading columns that name the row.

    Returns:
        HTML, in a frame that scrolls sideways where the page is narrow.
    """
    head = "".join(f'<th scope="col">{in_html(h)}</th>' for h in headings)
    lines: list[str] = []
    for row in rows:
        names = "".join(f'<th scope="row">{in_html(name)}</th>' for name in row[:keys])
        lines.append(f"<tr>{names}{''.join(row[keys:])}</tr>\n")
    return (
        f'<div class="wide"><table>\n<caption>{in_html(caption)}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{''.join(lines)}</tbody>\n</table></div>\n"
    )


def cell(text: str, *, kind: str = "") -> str:
    """One `<td>` of plain text."""
    attribute = f' class="{kind}"' if kind else ""
    return f"<td{attribute}>{in_html(text)}</td>"
