"""How is a number shown to a person? One place for all outputs, so that they agree.

A rate never travels without its interval and n. What is undefined is said with
its reason; it is never a 0, never blank and never "not a number".
"""

from __future__ import annotations

import math

from assay.metrics import Figure, GateState, Rate

_GATE_WORDS: dict[GateState, str] = {
    "confirmed_target": "target confirmed",
    "confirmed_minimum": "minimum confirmed",
    "provisional_target": "target unconfirmed",
    "provisional_minimum": "minimum unconfirmed",
    "below_minimum": "below, unsettled",
    "fails_minimum": "fails minimum",
    "undefined": "undefined",
}
_SMALLEST_P = 0.001
_NO_REASON = "no reason recorded"


def number(value: float, *, digits: int = 2) -> str:
    """A finite number with a fixed count of digits after the point.

    Args:
        value: Number to show.
        digits: Digits after the point.

    Returns:
        Text such as "0.93"; "undefined" for NaN or infinity, which no record holds.

    Example:
        >>> number(0.9333), number(-0.0001)
        ('0.93', '0.00')
    """
    if not math.isfinite(value):
        return "undefined"
    shown = f"{value:.{digits}f}"
    return shown.removeprefix("-") if float(shown) == 0 else shown


def signed(value: float) -> str:
    """A difference with its sign, such as "+0.12"."""
    shown = number(value)
    return shown if shown.startswith("-") or shown == "undefined" else f"+{shown}"


def undefined_text(reason: str | None) -> str:
    """What stands where a number would be, such as "undefined (no item that people failed)"."""
    return f"undefined ({reason or _NO_REASON})"


def rate_value(rate: Rate) -> str:
    """The bare value, such as "0.93", or the word "undefined"."""
    return "undefined" if rate.value is None else number(rate.value)


def rate_interval(rate: Rate) -> str:
    """The interval, such as "[0.86, 0.97]"; empty text when undefined."""
    if rate.low is None or rate.high is None:
        return ""
    return f"[{number(rate.low)}, {number(rate.high)}]"


def rate_short(rate: Rate) -> str:
    """Value, interval and n; the bare word "undefined", whose reason must stand nearby."""
    if rate.value is None:
        return "undefined"
    return f"{number(rate.value)} {rate_interval(rate)} n={rate.trials}"


def rate_tall(rate: Rate) -> str:
    """As `rate_short`, on two lines, for narrow tables."""
    if rate.value is None:
        return "undefined"
    return f"{rate_value(rate)} n={rate.trials}\n{rate_interval(rate)}"


def rate_text(rate: Rate) -> str:
    """Value, interval and n, or why there is none.

    Args:
        rate: A proportion.

    Returns:
        Text such as "0.93 [0.86, 0.97] n=45" or "undefined (no item that people failed)".
    """
    return undefined_text(rate.undefined) if rate.value is None else rate_short(rate)


def rate_counts(rate: Rate) -> str:
    """Successes of trials, such as "19/20"; "0/0" is said in words by `rate_text`."""
    return f"{rate.successes}/{rate.trials}"


def figure_text(figure: Figure) -> str:
    """A single number, such as "0.78", or why there is none."""
    return undefined_text(figure.undefined) if figure.value is None else number(figure.value)


def p_text(p_value: float | None, *, undefined: str | None = None) -> str:
    """A p-value, such as "p=0.03" or "p<0.001", or why there is none.

    Args:
        p_value: In [0, 1], or None.
        undefined: Why it is None.

    Returns:
        Text; three digits below 0.1, two above.
    """
    if p_value is None:
        return f"p {undefined_text(undefined)}"
    if p_value < _SMALLEST_P:
        return f"p<{_SMALLEST_P}"
    return f"p={number(p_value, digits=3 if p_value < 0.1 else 2)}"


def gate_words(state: GateState | str) -> str:
    """A gate's state in words, such as "minimum confirmed"; an unknown state as it is."""
    words: dict[str, str] = {**_GATE_WORDS}
    return words.get(state, state.replace("_", " "))
