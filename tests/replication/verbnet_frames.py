"""Frames of VerbNet whose examples the DNC recast: their roles and predicates, in short, with the DNC's names for them.

Nothing of VerbNet but these names is here. The examples are in the published pairs.
"""

import re
from typing import Any

CAUSE = "cause(Agent,E)"
USE = " use(during,Agent,Instrument)"
BENT = "contact(during,?Instrument,Patient) physical_form(result,verb:Form,Patient)"
HAD = "has_possession(start,Agent,Theme) has_possession(end,?Recipient,Theme) transfer(during,Theme) cause(Agent,E)"
SEARCH = "search(during,Agent,Location,Theme)"
TOLD = f"transfer_info(during,Agent,Recipient,Topic) {CAUSE}"
SAID = f"transfer_info(during,Agent,?Recipient,Topic) {CAUSE}"
ASSESSED = "assess(during,Agent,Theme,?Value)"
MOVED = "motion(during,Theme) motion(during,Agent) cause(Agent,E)"
FROM = " {0}(start,Theme,Initial_Location) {0}(start,Agent,Initial_Location)"
TO = " {0}(end,Theme,Destination) {0}(end,Agent,Destination)"


def hit(by: str) -> str:
    contact = f"!contact(during,{by},Patient) manner(end,constant:forceful,{by}) contact(end,{by},Patient)"
    return f"{CAUSE} manner(during,constant:directedmotion,{by}) {contact}"


# A word in lower case is a preposition, * any; after a colon stands the mark of a clause.
FRAMES = {
    "bend-45.2_NP V NP.patient": ("Agent V Patient", f"{CAUSE} {BENT}"),
    "bend-45.2_NP V NP PP.instrument": ("Agent V Patient with Instrument", f"{CAUSE} {BENT}{USE}"),
    "bend-45.2_NP V NP PP.result": ("Agent V Patient to|into Result", f"{CAUSE} {BENT}"),
    "bend-45.2_NP V NP PP.result PP.instrument": (
        "Agent V Patient to|into Result with Instrument",
        f"{CAUSE} {BENT}{USE}",
    ),
    "destroy-44_NP V NP": ("Agent V Patient", f"{CAUSE} destroyed(result,Patient)"),
    "destroy-44_NP V NP PP.instrument": (
        "Agent V Patient with Instrument",
        f"{CAUSE} destroyed(result,Patient){USE}",
    ),
    "destroy-44_NP.instrument V NP": (
        "Instrument V Patient",
        "cause(?Agent,E) destroyed(result,Patient) use(during,?Agent,Instrument)",
    ),
    "estimate-34.2_NP V NP": ("Agent V Theme", ASSESSED),
    "estimate-34.2_NP V NP PP.value": ("Agent V Theme at Value", "assess(during,Agent,Theme,Value)"),
    "estimate-34.2_NP V how S": ("Agent V Value:how_extract", "assess(during,Agent,?Theme,Value)"),
    "estimate-34.2_NP V NP to be ADJ": ("Agent V Theme:to_be", ASSESSED),
    "estimate-34.2_NP V that S": ("Agent V Theme:that_comp", ASSESSED),
    "estimate-34.2_NP V what S": ("Agent V Theme:what_extract", ASSESSED),
    "fulfilling-13.4.1_NP V NP PP.recipient": ("Agent V Theme to Recipient", HAD),
    "fulfilling-13.4.1_NP V NP-Fulfilling PP.theme": ("Agent V Recipient with Theme", HAD),
    "fulfilling-13.4.1_NP V NP": ("Agent V Theme", HAD),
    "hunt-35.1_NP V NP PP.theme": ("Agent V Location for Theme", SEARCH),
    "hunt-35.1_NP V PP.theme PP.location": ("Agent V for Theme * Location", SEARCH),
    "hunt-35.1_NP V PP.location PP.theme": ("Agent V * Location for Theme", SEARCH),
    "hunt-35.1_NP V NP PP.location": ("Agent V Theme * Location", SEARCH),
    "promise-37.13_NP V NP NP": ("Agent V Recipient Topic", TOLD),
    "promise-37.13_NP V NP that S": ("Agent V Recipient Topic:that_comp", TOLD),
    "promise-37.13_NP V S_ING": ("Agent V Topic:possing", SAID),
    "promise-37.13_NP V PP.recipient that S": ("Agent V to Recipient Topic:that_comp", TOLD),
    "promise-37.13_NP V that S": ("Agent V Topic:that_comp", SAID),
    "spank-18.3_NP V NP": ("Agent V Patient", hit("Agent")),
    "spank-18.3_NP V NP PP.instrument": ("Agent V Patient with Instrument", hit("Instrument") + USE),
    "spank-18.3_NP V NP PP.location": ("Agent V Patient * Location", hit("Agent")),
    "spank-18.3_NP V NP PP PP.instrument": (
        "Agent V Patient * Location with Instrument",
        hit("Instrument"),
    ),
    "spank-18.3_NP V NP PP.result": ("Agent V Patient to|into Result", hit("Agent")),
    "spank-18.3_NP V NP PP.result PP.instrument": (
        "Agent V Patient to|into Result with Instrument",
        hit("Instrument") + USE,
    ),
    "subjugate-42.3_NP V NP": ("Agent V Patient", f"{CAUSE} subjugated(during,Patient)"),
    "subjugate-42.3_NP V NP PP.instrument": (
        "Agent V Patient with Instrument",
        f"{CAUSE} subjugated(during,Patient){USE}",
    ),
    "suffocate-40.7_NP V NP.theme": ("Agent V Theme", f"{CAUSE} suffocate(during,Theme)"),
    "suffocate-40.7_NP V NP PP.result": ("Agent V Theme to Result", f"{CAUSE} suffocate(during,Theme)"),
    **{
        f"{name}_NP V NP{rest}": (f"Agent V Theme{syntax}", MOVED + more.format(predicate))
        for name, predicate in (("carry-11.4", "location"), ("drive-11.5", "path_rel"))
        for rest, syntax, more in (
            ("", "", ""),
            (" PP.destination", " to Destination", TO),
            (" PP.initial_location", " * Initial_Location", FROM),
            (
                " PP.initial_location PP.destination",
                " * Initial_Location to Destination",
                FROM + TO,
            ),
            (
                " PP.destination PP.initial_location",
                " to Destination * Initial_Location",
                FROM + TO,
            ),
        )
    },
}
EVENTS = ("start", "during", "end", "result")
KINDS = {"verb": "VerbSpecific", "constant": "Constant"}


def row_of(frame: str, example: str) -> dict[str, Any]:
    """Returns what the recipe reads from the XML of a frame, with an example."""
    syntax, predicates = FRAMES[frame]
    return {
        **{"class": frame.partition("_")[0], "group": frame.partition("_")[0]},
        **{"frame": frame.partition("_")[2], "misc": {}, "example": example},
        "syntax": [_part(word) for word in syntax.split()],
        "predicates": [
            [name.lstrip("!"), "!" if name[0] == "!" else "", [_argument(each) for each in args.split(",")]]
            for name, args in re.findall(r"(!?\w+)\(([^)]*)\)", predicates)
        ],
    }


def _part(word: str) -> list[Any]:
    name, _, mark = word.partition(":")
    if name == "V":
        return ["VERB", "", []]
    if name == "*":
        return ["PREP", "", []]
    if name[0].islower():
        return ["PREP", name.replace("|", " "), []]
    return ["NP", name, [mark] if mark else []]


def _argument(text: str) -> list[str]:
    if text in (*EVENTS, "E"):
        return ["Event", "E" if text == "E" else f"{text}(E)"]
    kind, _, name = text.rpartition(":")
    return [KINDS.get(kind, "ThemRole"), name]
