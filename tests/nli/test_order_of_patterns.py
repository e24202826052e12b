"""Agreement is the same to the last digit, in whatever order a database returns the patterns of votes."""

import random

from nli.agreement import krippendorff_alpha

# Four votes a pair, as validators alone have: their thirds are no exact floats.
VOTES = [(a, b, 4 - a - b) for a in range(5) for b in range(5 - a)]


def test_alpha_is_the_same_in_any_order():
    dice = random.Random(4)
    counts = {row: dice.randrange(1, 500) for row in VOTES}
    found = set()
    for _ in range(50):
        dice.shuffle(VOTES)
        found.add(krippendorff_alpha({row: counts[row] for row in VOTES}))
    assert len(found) == 1
