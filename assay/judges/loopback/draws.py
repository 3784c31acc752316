"""Numbers in [0, 1) that follow from names: the same on any machine, in any order of calls."""

from __future__ import annotations

import hashlib

ITEM_SHARE = 0.30
"""Share of items whose draw is one for all models: hard items are hard for everybody."""
PROMPT_SHARE = 0.20
"""Share of items drawn anew for each prompt; the rest keep one draw per model over prompts."""


def uniform(*parts: str | int | bytes) -> float:
    """A number in [0, 1), uniform over different parts and fixed for the same ones.

    Args:
        *parts: What the number belongs to. `1` and `"1"` name different numbers.

    Returns:
        53 bits of a BLAKE2b hash, as a float.
    """
    hasher = hashlib.blake2b(digest_size=8)
    for part in parts:
        kind = type(part).__name__[0].encode()
        data = part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass")
        # The length keeps ("ab", "c") and ("a", "bc") apart.
        hasher.update(b"%b%d:" % (kind, len(data)))
        hasher.update(data)
    return (int.from_bytes(hasher.digest(), "big") >> 11) * 2.0**-53


def item_draw(seed: int, *, model: str, dimension: str, item: bytes, prompt: bytes) -> float:
    """The draw that decides one verdict; alone it is uniform, together draws are related.

    A first number, the same for all models and prompts, says how the item is drawn:

    - 30% of items: one draw for all models and prompts. Two models' errors then
      correlate at about 0.3, as item difficulty makes them do among real ones.
    - 50%: one draw per model for all prompts, so that a better prompt turns errors
      of the same items round and a paired comparison sees it.
    - 20%: a new draw per model and prompt, so that a change also breaks some items.

    The first number is independent of the draws, and each draw is uniform, so
    every single draw is exactly uniform and planted rates hold exactly.

    Args:
        seed: Of the simulation.
        model: Name of the model.
        dimension: What is asked.
        item: Digest of the judged text.
        prompt: Digest of everything else that was sent.

    Returns:
        A number in [0, 1); low is lenient.
    """
    kind = uniform(seed, "kind of item", dimension, item)
    if kind < ITEM_SHARE:
        return uniform(seed, "item", dimension, item)
    if kind < 1.0 - PROMPT_SHARE:
        return uniform(seed, "model", model, dimension, item)
    return uniform(seed, "prompt", model, dimension, item, prompt)
