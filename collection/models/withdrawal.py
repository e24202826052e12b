"""Why a text or a label counts no more: a closed list, for snapshots publish these words.

What a researcher wrote about somebody stays in `Exclusion.reason`, and no file that leaves the site has it.
"""

SURPLUS = "surplus: somebody else finished the premise first"
ENDED = "sent after a researcher had ended this person's writing"
PILOT = "pilot of the prompt"
AUTHOR_EXCLUDED = "its author was excluded"
ANNOTATOR_EXCLUDED = "its annotator was excluded"
PAIR_GONE = "its pair was withdrawn"
CAME_BACK = "the label of this seat came back"
VETTED = "set aside by a researcher"
REASONS = (SURPLUS, ENDED, PILOT, AUTHOR_EXCLUDED, ANNOTATOR_EXCLUDED, PAIR_GONE, CAME_BACK, VETTED)
OTHER = "another reason"  # of what was withdrawn before there was this list
