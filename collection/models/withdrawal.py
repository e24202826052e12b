"""Reasons for withdrawing a pair or a label: a closed list, because snapshots publish these words.

What a researcher wrote about a person is in `Exclusion.reason`, and never leaves the site.
"""

SURPLUS = "surplus: somebody else finished the premise first"
ENDED = "sent after a researcher had ended this person's writing"
PILOT = "pilot of the prompt"
AUTHOR_EXCLUDED = "its author was excluded"
ANNOTATOR_EXCLUDED = "its annotator was excluded"
PAIR_GONE = "its pair was withdrawn"
CAME_BACK = "the label of this seat came back"
VETTED = "set aside by a researcher"
CORRECTED = "corrected by its annotator"
RETURNED = "returned to its writer to be mended"
WITHHELD = "withheld"
REASONS = (
    *(SURPLUS, ENDED, PILOT, AUTHOR_EXCLUDED, ANNOTATOR_EXCLUDED),
    *(PAIR_GONE, CAME_BACK, VETTED, CORRECTED, RETURNED, WITHHELD),
)
