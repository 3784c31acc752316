"""Figures: from any thread, without a display, with any name; a failure harms no run."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assay.reporting import confusion_png, figures, report_json, try_figures
from assay.reporting.drawing import blank, drawable, headed
from assay.reporting.rate_figures import agents_png, rates_png

ROOT = Path(__file__).resolve().parents[3]
PNG = b"\x89PNG\r\n\x1a\n"
NAMES = ["confusion.png", "rates.png", "agents.png"]


@pytest.mark.parametrize("which", ["single", "hostile"])
def test_three_figures_are_written_without_a_warning(which, request, tmp_path):
    assert try_figures(request.getfixturevalue(which), tmp_path) == []
    for name in NAMES:
        assert (tmp_path / name).read_bytes().startswith(PNG)


def test_up_195_figures_from_threads_with_tkagg_and_no_display(tmp_path, single):
    code = textwrap.dedent(
        """
        import sys
        from concurrent.futures import ThreadPoolExecutor
        from pathlib import Path
        from assay.reporting import try_figures
        from assay.schema import ValidationReport
        report = ValidationReport.model_validate_json(Path("report.json").read_text("utf-8"))
        folders = [Path(f"t{i}") for i in range(2)]
        for folder in folders:
            folder.mkdir()
        with ThreadPoolExecutor(2) as pool:
            warnings = list(pool.map(lambda folder: try_figures(report, folder), folders))
        assert warnings == [[], []], warnings
        assert "matplotlib.pyplot" not in sys.modules
        assert "tkinter" not in sys.modules
        """
    )
    (tmp_path / "report.json").write_text(report_json(single), encoding="utf-8")
    env = {k: v for k, v in os.environ.items() if k != "DISPLAY"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=tmp_path,
        env={**env, "MPLBACKEND": "TkAgg", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(list(tmp_path.glob("t*/*.png"))) == 6


def test_a_figure_that_fails_gives_a_warning_and_the_others_are_drawn(single, tmp_path):
    (tmp_path / "rates.png").mkdir()
    warnings = try_figures(single, tmp_path)
    assert len(warnings) == 1
    assert warnings[0].startswith("rates.png: not drawn (IsADirectoryError")
    assert (tmp_path / "agents.png").is_file()


def test_agents_that_are_not_known_are_said_in_the_figure(make_report, tmp_path):
    agents_png(make_report(5, 1, 4, 2), tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(PNG)


def test_simulated_stands_in_the_title_and_across_the_figure(panel, single):
    figure = blank(8, 4)
    headed(figure, panel, "panel poll")
    assert [t.get_text() for t in figure.texts] == ["SIMULATED: panel poll", "SIMULATED"]
    figure = blank(8, 4)
    headed(figure, single, "judge gpt-x")
    assert [t.get_text() for t in figure.texts] == ["judge gpt-x"]


@pytest.mark.parametrize("draw", [confusion_png, rates_png, agents_png])
def test_every_figure_is_headed(draw, panel, tmp_path, monkeypatch):
    # Looked at through what is saved, so that no figure can forget the banner.
    seen = []
    for module in (figures, sys.modules[rates_png.__module__]):
        monkeypatch.setattr(module, "save", lambda figure, path: seen.append(figure))
    draw(panel, tmp_path / "x.png")
    texts = [t.get_text() for t in seen[0].texts]
    assert texts[0].startswith("SIMULATED: ")
    assert texts[1] == "SIMULATED"


def test_the_matrix_is_drawn_with_words_in_every_cell(single, tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(figures, "save", lambda figure, path: seen.append(figure))
    confusion_png(single, tmp_path / "x.png")
    first = seen[0].axes[0]
    texts = [t.get_text() for t in first.texts]
    assert texts == [
        "19", "true pass", "1", "false fail\n(too strict)", "4", "false pass\n(too lenient)",
        "16", "true fail", "0", "no verdict", "0", "no verdict",
    ]  # fmt: skip
    assert first.get_xlabel() == "TPR 19/20 = 0.95 [0.76, 0.99]\nTNR 16/20 = 0.80 [0.58, 0.92]"
    assert first.get_title(loc="left") == "correctness, n=40"
    safety = seen[0].axes[2].get_xlabel()
    assert "TNR undefined: no item that people failed" in safety


def test_names_are_drawn_as_they_are():
    assert drawable("$\\frac{") == "\\$\\frac{"
    assert drawable("評価") == "\\u8a55\\u4fa1"
    assert drawable("x" * 100, limit=10) == "xxxxxxx..."


def test_figures_may_be_drawn_from_several_threads_at_once(single, tmp_path):
    folders = [tmp_path / str(i) for i in range(3)]
    for folder in folders:
        folder.mkdir()
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(lambda f: try_figures(single, f), folders)) == [[], [], []]
    drawn = {name: {(f / name).read_bytes() for f in folders} for name in NAMES}
    # Alike to the byte: no thread drew into another's figure.
    assert {name: len(contents) for name, contents in drawn.items()} == dict.fromkeys(NAMES, 1)
