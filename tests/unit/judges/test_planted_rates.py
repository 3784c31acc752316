"""The planted table, and verdicts drawn from it."""

from __future__ import annotations

import itertools

import pytest
from scipy.stats import binom

from assay.judges.loopback.draws import ITEM_SHARE, PROMPT_SHARE, item_draw, uniform
from assay.judges.loopback.planted import (
    HIGHEST,
    LOWEST,
    PLANTED,
    PromptFeatures,
    decide,
    planted_rates,
)

PLAIN = PromptFeatures()
SHAPES = ("verdict_only", "rationale_first", "verdict_first", "scratchpad")
N = 2000
# Each check below allows what a right implementation exceeds once in a million.
RARE = 1e-6


def assert_binomial(successes: int, trials: int, rate: float) -> None:
    """Fail where a binomial count is further out than one in a million, on either side."""
    low = binom.cdf(successes, trials, rate)
    high = binom.sf(successes - 1, trials, rate)
    assert min(low, high) * 2 > RARE, f"{successes} of {trials} at planted {rate}"


def passes(model, *, truth, family="nobody", features=PLAIN, seed=0, prompt=b"p", n=N):
    return [
        decide(
            seed,
            model=model,
            dimension="correctness",
            truth=truth,
            agent_family=family,
            features=features,
            item=b"item %d" % i,
            prompt=prompt,
        )
        == "Pass"
        for i in range(n)
    ]


def test_the_plain_rates_are_those_of_the_table():
    # The table itself, read by eye: atlas on correctness has TPR .94 and TNR .75.
    assert planted_rates("sim-atlas-1", "correctness", "cinder", PLAIN) == (0.94, 0.75)


def test_effects_of_the_prompt_add_up_in_points():
    features = PromptFeatures(reply="verdict_first", anchors=True, strict=True)
    # TPR .94 - .01 + .015 - .10 = .845; TNR .75 - .03 + .09 + .14 = .95
    assert planted_rates("sim-atlas-1", "correctness", "cinder", features) == (0.845, 0.95)


def test_favour_for_the_own_family_raises_tpr_and_lowers_tnr():
    # TPR .93 + .04 = .97; TNR .70 - .24 = .46
    assert planted_rates("sim-borealis-1", "correctness", "borealis", PLAIN) == (0.97, 0.46)
    assert planted_rates("sim-borealis-1", "correctness", "atlas", PLAIN) == (0.93, 0.70)


@pytest.mark.parametrize("model", PLANTED)
def test_every_combination_of_effects_stays_within_the_bounds(model):
    for shape, anchors, strict in itertools.product(SHAPES, (False, True), (False, True)):
        for dimension in PLANTED[model].rates:
            for family in ("atlas", "borealis", "cinder", ""):
                features = PromptFeatures(reply=shape, anchors=anchors, strict=strict)
                for rate in planted_rates(model, dimension, family, features):
                    assert LOWEST <= rate <= HIGHEST


@pytest.mark.parametrize("model", PLANTED)
def test_strict_is_harsher_and_reasons_examples_and_notes_are_better(model):
    for dimension in PLANTED[model].rates:
        plain = planted_rates(model, dimension, "", PLAIN)
        strict = planted_rates(model, dimension, "", PromptFeatures(strict=True))
        assert strict[0] < plain[0]
        assert strict[1] > plain[1]
        for better in (
            PromptFeatures(reply="rationale_first"),
            PromptFeatures(anchors=True),
            PromptFeatures(reply="scratchpad"),
        ):
            rates = planted_rates(model, dimension, "", better)
            assert rates[0] > plain[0]
            assert rates[1] > plain[1]


def test_one_family_is_modestly_better_than_the_others_everywhere():
    for other in ("sim-borealis-1", "sim-cinder-1"):
        for dimension, (tpr, tnr) in PLANTED["sim-atlas-1"].rates.items():
            assert 0.0 < tpr - PLANTED[other].rates[dimension][0] < 0.1
            assert 0.0 < tnr - PLANTED[other].rates[dimension][1] < 0.1


@pytest.mark.parametrize("model", PLANTED)
@pytest.mark.parametrize(
    "features",
    [PLAIN, PromptFeatures(strict=True), PromptFeatures(reply="scratchpad", anchors=True)],
    ids=["plain", "strict", "scratchpad with anchors"],
)
@pytest.mark.parametrize("family", ["atlas", "borealis"])
def test_verdicts_have_the_planted_rates(model, features, family):
    tpr, tnr = planted_rates(model, "correctness", family, features)
    hits = sum(passes(model, truth=True, family=family, features=features))
    assert_binomial(hits, N, tpr)
    false_passes = sum(passes(model, truth=False, family=family, features=features))
    assert_binomial(N - false_passes, N, tnr)


def test_the_same_arguments_give_the_same_verdict_and_another_seed_gives_others():
    first = passes("sim-cinder-1", truth=False)
    assert passes("sim-cinder-1", truth=False) == first
    other = passes("sim-cinder-1", truth=False, seed=1)
    # Two independent draws at rate p differ on a share 2 p (1 - p) of items.
    rate = 1 - planted_rates("sim-cinder-1", "correctness", "nobody", PLAIN)[1]
    differ = sum(a != b for a, b in zip(first, other, strict=True))
    assert_binomial(differ, N, 2 * rate * (1 - rate))


def test_a_draw_is_the_number_that_it_was_when_the_table_was_written():
    # Recorded verdicts can be made again only as long as these two hold.
    # Worked out apart: blake2b over b"i1:0" b"s4:item", 8 bytes, big-endian, 53 high bits.
    import hashlib

    value = int.from_bytes(hashlib.blake2b(b"i1:0s4:item", digest_size=8).digest(), "big")
    assert uniform(0, "item") == (value >> 11) / 2**53
    assert uniform(0, "item") != uniform("0", "item")


def test_draws_are_uniform_whatever_they_share():
    draws = [
        item_draw(3, model="sim-atlas-1", dimension="d", item=b"%d" % i, prompt=b"p")
        for i in range(N)
    ]
    for tenth in range(10):
        inside = sum(tenth / 10 <= draw < (tenth + 1) / 10 for draw in draws)
        assert_binomial(inside, N, 0.1)


def test_families_share_the_draw_of_three_items_in_ten():
    same = sum(
        item_draw(0, model="a", dimension="d", item=b"%d" % i, prompt=b"p")
        == item_draw(0, model="b", dimension="d", item=b"%d" % i, prompt=b"q")
        for i in range(N)
    )
    assert_binomial(same, N, ITEM_SHARE)


def test_prompts_of_one_model_share_the_draw_of_all_but_two_items_in_ten():
    same = sum(
        item_draw(0, model="a", dimension="d", item=b"%d" % i, prompt=b"p")
        == item_draw(0, model="a", dimension="d", item=b"%d" % i, prompt=b"q")
        for i in range(N)
    )
    assert_binomial(same, N, 1 - PROMPT_SHARE)


def test_a_stricter_prompt_mends_many_false_passes_and_makes_a_few():
    before = passes("sim-atlas-1", truth=False, prompt=b"plain")
    after = passes(
        "sim-atlas-1", truth=False, prompt=b"strict", features=PromptFeatures(strict=True)
    )
    mended = sum(b and not a for b, a in zip(before, after, strict=True))
    broken = sum(a and not b for b, a in zip(before, after, strict=True))
    # False-pass rates are .25 and .11. Shared draws (80%) mend .14 and break none;
    # new draws (20%) mend .25 * .89 and break .75 * .11.
    assert_binomial(mended, N, 0.8 * 0.14 + 0.2 * 0.25 * 0.89)
    assert_binomial(broken, N, 0.2 * 0.75 * 0.11)


def test_errors_of_two_families_are_correlated_by_item_difficulty():
    a = passes("sim-borealis-1", truth=False)
    b = passes("sim-cinder-1", truth=False)
    both = sum(x and y for x, y in zip(a, b, strict=True))
    # False-pass rates .30 and .29: shared draws err together at .29, others at .30 * .29.
    assert_binomial(both, N, 0.3 * 0.29 + 0.7 * 0.30 * 0.29)
