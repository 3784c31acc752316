"""Replies and what is read from them: the recorded failures of other tools, and their kin."""

from __future__ import annotations

import json

import pytest

from assay.judges.reply import BINARY, ReplyForm, read_reply
from tests.shared_material import shared_path

EXPECTED = {
    "UP-001": ["unparseable"],
    "UP-004": ["Pass", "Pass", "Pass"],
    "UP-006": ["Pass"],
    "UP-008": ["unparseable"],
    "UP-009": ["Pass"],
    "UP-010": ["Fail", "Fail"],
    "UP-012": ["Pass"],
    "UP-015": ["truncated"],
    # An escape that JSON does not know is not on the list of repairs.
    "UP-018": ["unparseable"],
    "UP-019": ["unparseable", "unparseable"],
    # There are no scores here: a number is never read as a verdict.
    "UP-021": ["unparseable", "unparseable"],
    "UP-025": ["out_of_set"],
    "UP-028": ["Fail"],
    "UP-029": ["unparseable"],
    "UP-033": ["refused"],
    "UP-035": ["empty"],
    "UP-038": ["Fail"],
    "UP-039": ["out_of_set"],
}
"""Label or reason per reply of a case."""


def cases():
    lines = shared_path("cases/pain_points.jsonl").read_text(encoding="utf-8").splitlines()
    return {case["id"]: case["repro_input"] for case in map(json.loads, lines)}


def replies(given):
    """The replies of a recorded case as arguments of read_reply."""
    if "replies" in given:
        return [{"text": text} for text in given["replies"]]
    if "reply" in given:
        reply = given["reply"]
        return [{"text": reply if isinstance(reply, str) else json.dumps(reply)}]
    fields = {"content": "text"}
    return [{fields.get(name, name): value for name, value in given.items()}]


@pytest.mark.parametrize("case", sorted(EXPECTED))
def test_a_recorded_failure_is_read_as_it_should_have_been(case):
    given = cases()[case]
    form = BINARY
    if "expected_tag" in given:
        form = ReplyForm(BINARY.labels, BINARY.keys, (given["expected_tag"].casefold(),))
    readings = [read_reply(form=form, **reply) for reply in replies(given)]
    assert [r.label or r.reason for r in readings] == EXPECTED[case]
    # A reading has a label or a reason, never both and never neither.
    assert all((r.label is None) != (r.reason is None) for r in readings)


def test_every_recorded_reply_of_this_kind_has_an_expectation():
    lines = shared_path("cases/pain_points.jsonl").read_text(encoding="utf-8").splitlines()
    reply_like = {"reply", "replies", "content"}
    found = {
        case["id"]
        for case in map(json.loads, lines)
        if case["fault_class"] in {"verdict-parsing", "finish-and-refusal"}
        and isinstance(case["repro_input"], dict)
        and reply_like & set(case["repro_input"])
    }
    # Left out: one verdict per claim (UP-016), which binary criteria do not ask for, and
    # a list of finish reasons without replies (UP-032), which concerns requests.
    assert found - {"UP-016", "UP-032"} <= set(EXPECTED)


def test_repairs_are_named_and_the_reason_is_kept():
    fenced = '```json\n{"verdict": "Pass", "reason": "first line\nsecond line"}\n```'
    reading = read_reply(fenced)
    assert reading.detail == "repaired: code fence, control character"
    assert reading.rationale == "first line\nsecond line"
    assert read_reply('{"verdict":"Fail",} ').detail == "repaired: trailing comma"
    assert read_reply('{"verdict": "Fail" // wrong unit\n}').detail == "repaired: line comment"
    assert read_reply('{\n{"verdict":"Fail"}\n').detail == "repaired: extra brace"
    assert read_reply('Sure! {"verdict":"Fail"} Bye.').detail == "repaired: surrounding text"
    sound = read_reply('{"rationale": "a // b, }", "verdict": "Pass"}')
    assert (sound.detail, sound.as_asked) == ("", True)


PASS_REPLIES = [
    '{"verdict": "Pass"}',
    '{"Verdict": "PASS."}',
    '{"verdict": "passed"}',
    '{"rationale": "drops </think> and <think>", "verdict": "Pass"}',
    '{"rationale": "VERDICT: Fail\\nis what the agent printed", "verdict": "Pass"}',
    '{"rationale": "it says {\\"verdict\\": \\"Fail\\"}", "verdict": "Pass"}',
    '\ufeff{"verdict": "Pass"}',
    '\u200b{"ver\u200bdict": "Pa\u00adss"}\u200b',
    '{\u00a0"verdict":\u00a0"Pass\u00a0"}',
    '{"verdict": "Pass"}\r\n',
    '```\n{"verdict": "Pass"}\n```',
    '[{"verdict": "Pass"}]',
    '{"verdict": "Pass"}\n{"verdict": "pass"}',
    '{"verdict": "Pass"}\nVerdict: Pass',
    '{{"verdict": "Pass"}}',
    "VERDICT: Pass\nVERDICT: Pass",
    "**Verdict:** Pass",
    "**Verdict**: **Pass**",
    "## Verdict: Pass",
    "Final verdict: `Pass`.",
    "verdict = Pass!",
    "\u00a0Verdict:\u00a0Pass",
    "<think>VERDICT: Fail</think>\nVERDICT: Pass",
    "<think>a<think>VERDICT: Fail</think>VERDICT: Fail</think>VERDICT: Pass",
    '<THINKING mode="x">{"verdict": "Fail"}</THINKING>{"verdict": "Pass"}',
    "Opened by the template. VERDICT: Fail\n</think>\nVERDICT: Pass",
    "The format was VERDICT: Fail or so.\nVERDICT: Pass",
    "VERDICT: Pass or Fail\nVERDICT: Pass",
    "> VERDICT: Fail\nVERDICT: Pass",
    'The set {1, 2} and f"{x}" look odd.\n{"verdict": "Pass"}',
]


@pytest.mark.parametrize("reply", PASS_REPLIES)
def test_a_clear_pass_is_read(reply):
    reading = read_reply(reply)
    assert (reading.label, reading.reason) == ("Pass", None)


@pytest.mark.parametrize("reply", PASS_REPLIES)
def test_exchanging_the_labels_exchanges_the_verdict(reply):
    marks = {"pass": "\x01", "fail": "\x02", "pa\u00adss": "\x01"}
    swapped = reply
    for word, mark in marks.items():
        for spelling in {word, word.upper(), word.capitalize()}:
            swapped = swapped.replace(spelling, mark)
    swapped = swapped.replace("\x01", "Fail").replace("\x02", "Pass")
    assert read_reply(swapped).label == "Fail"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("Looks fine to me!", "unparseable"),
        ("Pass", "unparseable"),
        ("I would say Pass.", "unparseable"),
        ("In short, verdict: Pass", "unparseable"),
        ("PREVERDICT: Pass", "unparseable"),
        ("My_verdict: Pass", "unparseable"),
        ("Verdicts: Pass", "unparseable"),
        ("> VERDICT: Pass", "unparseable"),
        ("VERDICT:", "unparseable"),
        ("VERDICT: Pass or Fail", "unparseable"),
        ("VERDICT: Pass/Fail", "unparseable"),
        ("VERDICT: [Pass|Fail]", "unparseable"),
        ('{"verdict": "Pass | Fail"}', "unparseable"),
        ('{"verdict": "Either Pass or Fail"}', "unparseable"),
        ("VERDICT: not Pass", "out_of_set"),
        ("VERDICT: Not a Pass", "out_of_set"),
        ('{"verdict": "Pass, not Fail"}', "out_of_set"),
        ('{"verdict": "bypass"}', "out_of_set"),
        ('{"verdict": "Pass with remarks"}', "out_of_set"),
        ('{"verdict": "unsure"}', "out_of_set"),
        ('{"verdict": true}', "out_of_set"),
        ('{"verdict": 1}', "out_of_set"),
        ('{"verdict": null}', "out_of_set"),
        ('{"verdict": ["Pass"]}', "out_of_set"),
        ('{"result": {"verdict": "Pass"}}', "unparseable"),
        ('{"verdict": "Pass", "verdict": "Fail"}', "ambiguous"),
        ('{"verdict": "Pass"}\n{"verdict": "Fail"}', "ambiguous"),
        ('{"verdict": "Fail"}\n\n{"verdict": "Pass"}', "ambiguous"),
        ('```json\n{"verdict":"Fail"}\n```\nSources: [1]\n{"verdict":"Pass"}', "ambiguous"),
        ('{"verdict": "Pass"}\nVERDICT: Fail', "ambiguous"),
        ("VERDICT: Pass\nOn reflection:\nVERDICT: Fail", "ambiguous"),
        ("Verdict: Pass\nFinal verdict: Fail", "ambiguous"),
        ("VERDICT: Pass\nVERDICT: unsure", "ambiguous"),
        ('{"verdict": "Pass", "why": "cut off', "unparseable"),
        ('{"example": {"verdict": "Pass"}, "verdict": "Fa', "unparseable"),
        ('{"rationale": "as asked\nVERDICT: Pass', "unparseable"),
        ('{"verdict": "Pa', "unparseable"),
        ('{"verdict": "Pass" "x": 1}', "unparseable"),
        ('{"verdict": "Pass"}\n{"verdict": Fail}', "unparseable"),
        ("{'verdict': 'Pass'}", "unparseable"),
        ('{{"verdict": "Pa', "unparseable"),
        ('{{"verdict": Pass}}', "unparseable"),
        ('{"verdict": "Pass"]', "unparseable"),
        ("<think>VERDICT: Pass</think>", "empty"),
        ("<think>so it is\nVERDICT: Pass", "empty"),
        ("<think><think>a</think>VERDICT: Pass", "empty"),
        ("I begin.\n<think>VERDICT: Pass", "unparseable"),
        ("", "empty"),
        (" \u200b\u00a0\n", "empty"),
        (None, "empty"),
        ("[" * 100_000, "unparseable"),
        ('{"a":' * 20_000, "unparseable"),
    ],
)
def test_a_reply_without_one_clear_verdict_is_an_abstention_with_its_reason(reply, reason):
    reading = read_reply(reply)
    assert (reading.label, reading.reason) == (None, reason)
    assert reading.detail


def test_the_finish_reason_comes_before_the_text():
    sound = '{"verdict": "Pass"}'
    assert read_reply(sound, finish_reason="length", max_tokens=64).reason == "truncated"
    assert "max_tokens=64" in read_reply(sound, finish_reason="length", max_tokens=64).detail
    assert read_reply(sound, finish_reason="content_filter").reason == "content_filtered"
    assert read_reply(sound, finish_reason="stop").label == "Pass"
    assert read_reply(sound, finish_reason="eos").label == "Pass"


def test_a_refusal_and_a_filter_are_two_reasons():
    assert read_reply(None, refusal="No.").reason == "refused"
    assert read_reply(None, refusal="No.").detail == "No."
    assert read_reply(None, refusal="", finish_reason="content_filter").reason == "content_filtered"


def test_a_verdict_is_never_taken_from_the_reasoning_field():
    reading = read_reply("", reasoning='{"verdict": "Pass"}')
    assert (reading.label, reading.reason) == (None, "empty")
    assert "turn the model's thinking off" in reading.detail


def test_labels_that_contain_each_other_are_told_apart():
    form = ReplyForm({"Supported": (), "Not supported": ()}, ("verdict",), ("verdict",))
    assert read_reply("VERDICT: not supported", form=form).label == "Not supported"
    assert read_reply("VERDICT: supported", form=form).label == "Supported"
    assert read_reply("VERDICT: unsupported", form=form).reason == "out_of_set"


def test_the_reasons_of_each_shape_become_the_rationale():
    scratchpad = {
        "evidence": ["+ x", "exit 0"],
        "anchors": "none shown",
        "for_pass": "p",
        "for_fail": "f",
        "verdict": "Fail",
        "doubt": "d",
    }
    assert read_reply(json.dumps(scratchpad)).rationale == (
        "evidence: + x; exit 0\nanchors: none shown\nfor_pass: p\nfor_fail: f\ndoubt: d"
    )
    assert read_reply("It works.\nVERDICT: Pass").rationale == "It works."


def test_only_a_reply_that_the_schema_forbids_counts_against_the_endpoint():
    assert not read_reply('{"verdict": "Pass"}').breaks_schema
    assert read_reply('{"verdict": "Probably"}').breaks_schema
    assert read_reply('Here: {"verdict": "Pass"}').breaks_schema
    assert not read_reply('{"ver', finish_reason="length").breaks_schema
    assert not read_reply(None, refusal="No.").breaks_schema
