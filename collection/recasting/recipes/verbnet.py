"""Who did what by a verb's class: VerbNet (Schuler 2005), its predicates as templates, its roles found by a parser.

A frame says which phrase of its example has which role. A template under a predicate is true of the roles that are the
predicate's arguments, and false with a phrase of another role in one place, or with two roles exchanged.
"""

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import Any

from collection.formats.lines import BadLine, Record
from collection.recasting import Draw, Item, Partition, PassedOver, Recipe
from collection.recasting.english import capitalised, conjugated, gerund, parsed, verb_of
from collection.recasting.readers import value, xml_elements

# Fields of a template:
#   {Agent}, {Theme}, ...        the role as a subject
#   {Agent_object}, ...          the role as an object
#   {was}, {caused}, ...         the verb, in the subject's number and the example's tense
#   {E}                          the gerund of the example's verb
#   {first}, {second}, {third}   the predicate's roles in their order
#   {when}                       the beginning or the end of the event; empty for its whole duration
# The text after | is used if the example does not express the role.
# A key is a predicate, or one with what it says more: what is specific to the verb, a constant, `start` or `end` of the
# event; `not contact` is a denied predicate.
# The DNC's own templates, as its published pairs and VerbNet's frames beside them show:
PUBLISHED = {
    "assess": ("{Agent} {did} an assessment.", "{Theme} {was} assessed."),
    "cause": ("{first} {caused} the {E}.",),
    "contact": ("{Patient} {was} in contact with {Instrument_object}.",),
    "contact end": ("{when}{first} {was} in contact with {second_object}.",),
    # What VerbNet denies of the time before the end, the DNC takes as said of the whole event.
    "not contact": ("{Patient} {was} in contact with {Instrument_object}.",),
    "degradation_material_integrity": ("{first} {was} degraded as the result of the {E}.",),
    "emit": ("{Theme} {was} emitted.",),
    "emit Sound": ("Sounds can be heard.",),
    "exist": ("{first} {existed}.",),
    "has_possession start": ("{when}{Agent} {had} possession of {Theme_object}.",),
    "location": ("{Initial_Location} {was} the initial location.",),
    "manner forceful": ("The {E} {happened} in a forceful manner.",),
    "motion": ("{first} {moved}.",),
    "path_rel": ("{Initial_Location} {was} the initial location.",),
    "physical_form": ("The {E} {changed} the physical form of {Patient_object}.",),
    "search": (
        "{Agent} {conducted} a search.",
        "{Location} {was} searched.",
        "{Agent} {searched} {Location_object} for {Theme_object}.",
        "The search {was} for {Theme_object}.",
    ),
    "take_care_of": ("{first} {took} care of {second_object}.", "{second} {was} cared for."),
    "transfer": ("{first} {was} transferred.",),
    "transfer_info": (
        "{Agent} {transferred} information to {Recipient_object} about {Topic_object}.",
        "{Agent} {transferred} information.",
        "{Recipient} {received} information.|Someone {received} information.",
        "Information about {Topic_object} {was} transferred.|Some information {was} transferred.",
    ),
    "use": (
        "During the {E}, {first} {used} {second_object}.",
        "{first} {used} something.",
        "{second} {was} used.",
    ),
}
# Ours, of more predicates of VerbNet 3.2, and of names that version 3.3 has for some of the above. The DNC had none of
# them: of `destroyed`, `alive` or `suffocate` it published nothing, though it recast examples that have them.
FURTHER = {
    "adopt": ("{Agent} {adopted} {Theme_object}.",),
    "alive": ("{when}{first} {was} alive.",),
    "appear": ("{first} {appeared}.",),
    "apply_heat": ("{Agent} {applied} heat.",),
    "approve": ("{Agent} {approved} of {Theme_object}.",),
    "attempt": ("{Agent} {attempted} something.",),
    "avoid": ("{Agent} {avoided} {Theme_object}.",),
    "begin": ("{first} {began}.",),
    "body_motion": ("The body of {first_object} {moved}.",),
    "characterize": ("{Theme} {was} characterized.",),
    "conclude": ("{Agent} {came} to a conclusion.",),
    "conspire": ("{Agent} {conspired}.",),
    "continue": ("{first} {continued}.",),
    "cooked": ("{when}{Patient} {was} cooked.",),
    "cooperate": ("{Agent} {cooperated}.",),
    "cope": ("{Agent} {coped} with {Theme_object}.",),
    "declare": ("{Agent} {made} a declaration.",),
    "describe": ("{Agent} {gave} a description.",),
    "desire": ("{first} {desired} {second_object}.", "{first} {desired} something."),
    "destroyed": ("{first} {was} destroyed.",),
    "disappear": ("{first} {disappeared}.",),
    "discomfort": ("{first} {felt} discomfort.",),
    "discover": ("{Agent} {made} a discovery.", "{Theme} {was} discovered."),
    "emotional_state": ("{Experiencer} {felt} an emotion.",),
    "end": ("{first} {ended}.",),
    "exert_force": ("{Agent} {exerted} force.",),
    "forbid": ("{Agent} {forbade} {Theme_object}.",),
    "give_birth": ("{Agent} {gave} birth.",),
    "harmed": ("{first} {was} harmed.",),
    "contact start": ("{when}{first} {was} in contact with {second_object}.",),
    "has_location": ("{Initial_Location} {was} the initial location.",),
    "has_possession": ("{when}{first} {had} possession of {second_object}.",),
    "help": ("{Agent} {helped} {Beneficiary_object}.",),
    "hold": ("{Agent} {held} {Theme_object}.",),
    "neglect": ("{Agent} {neglected} {Theme_object}.",),
    "nonagentive_cause": ("{first} {caused} the {E}.",),
    "perceive": ("{Experiencer} {perceived} {Stimulus_object}.",),
    "perform": ("{Agent} {performed} {Theme_object}.",),
    "rotational_motion": ("{first} {rotated}.",),
    "sleep": ("{first} {slept}.",),
    "social_interaction": ("{Agent} {interacted} with {Co-Agent_object}.",),
    "subjugated": ("{first} {was} subjugated.",),
    "suffocate": ("{first} {suffocated}.",),
    "understand": ("{Experiencer} {understood} something.",),
    "utilize": (
        "During the {E}, {first} {used} {second_object}.",
        "{first} {used} something.",
        "{second} {was} used.",
    ),
    "visible": ("{when}{first} {was} visible.",),
    "wear": ("{Agent} {wore} {Theme_object}.",),
}
TEMPLATES = {**PUBLISHED, **FURTHER}
SYMMETRIC = ("contact", "social_interaction")  # their two roles can be exchanged
# The roles that the DNC puts into each other's places in its false hypotheses; of places, results, topics it makes none.
# Three of them stand in the place of any other, the rest in that of the agent or the experiencer alone.
ANYWHERE = ("Agent", "Instrument", "Patient")
EXCHANGED = (*ANYWHERE, "Beneficiary", "Experiencer", "Product", "Recipient", "Stimulus", "Theme")
PLACES = ("first", "second", "third")
WHEN = {"start": "At the beginning of the {E}, ", "end": "At the end of the {E}, "}
# Marks of a role that is a clause (`asked what to do`), as far as they end. Of `thought him to be ill` the DNC takes `him`.
CLAUSES = ("_comp", "_extract", "_inf", "ing", "quotation", "tensed_that")
LINKS = ("that", "when", "where", "why", "how", "whether", "if")  # the DNC leaves them out, but not `what`
OBJECTS = {"I": "me", "he": "him", "she": "her", "we": "us", "they": "them"}
SUBJECTS = {each: subject for subject, each in OBJECTS.items()}
MANY = ("we", "they", "you")


def is_verb(field: str) -> bool:
    """Returns whether a field of a template is a verb, which stands there in the past."""
    return field.islower() and field.removesuffix("_object") not in PLACES


@dataclass(frozen=True)
class Phrase:
    """A role's phrase. A clause can be an object alone, but for one in -ing and one that begins with what."""

    subject: str
    object: str
    is_many: bool = False


Roles = dict[str, Phrase]


def read(path: Path) -> Iterator[Record | BadLine]:
    """Yields a row for each example. Rows are numbered from 1 in each file of a class."""
    number = 0
    for item in xml_elements(path, "VNCLASS"):
        if isinstance(item, BadLine):
            yield item
            continue
        whole = item[1]
        for at in (whole, *whole.iter("VNSUBCLASS")):
            for frame in at.iterfind("FRAMES/FRAME"):
                for example in frame.iterfind("EXAMPLES/EXAMPLE"):
                    number += 1
                    yield number, _row(whole.get("ID", ""), at.get("ID", ""), frame, example.text or "")


def _row(group: str, name: str, frame: ElementTree.Element, example: str) -> dict[str, Any]:
    description = frame.find("DESCRIPTION")
    facts = {} if description is None else dict(description.attrib)
    return {
        "class": name,
        "group": group,
        "frame": facts.get("primary", ""),
        "misc": {key: facts.get(key, "") for key in ("descriptionNumber", "secondary", "xtag")},
        "example": example.strip(),
        "syntax": [
            [
                part.tag,
                part.get("value", ""),
                [
                    mark.get("type", "")
                    for mark in part.iterfind("SYNRESTRS/SYNRESTR")
                    if mark.get("Value") == "+"
                ],
            ]
            for part in frame.iterfind("SYNTAX/*")
        ],
        "predicates": [
            [
                each.get("value", ""),
                each.get("bool", ""),
                [[arg.get("type", ""), arg.get("value", "")] for arg in each.iterfind("ARGS/ARG")],
            ]
            for each in frame.iterfind("SEMANTICS/PRED")
        ],
    }


def roles_of(row: dict[str, Any], doc: Any, verb: Any) -> Roles:
    """Returns the phrases of the roles that the syntax names, as far as the parser finds them."""
    chunks = list(doc.noun_chunks)
    found: Roles = {}
    at, prepositions, after = 0, None, False
    for tag, name, marks in row["syntax"]:
        if tag == "VERB":
            at, after, prepositions = verb.i + 1, True, None
        elif tag == "PREP":
            prepositions = set(name.lower().replace("|", " ").split())
        elif tag == "NP" and after and any(mark.endswith(CLAUSES) for mark in marks):
            if clause := _clause(doc, at):
                is_noun = any(mark.endswith("ing") or mark.startswith("what") for mark in marks)
                found[name] = Phrase(clause if is_noun else "", clause)
            break
        elif tag == "NP":
            match = _next(doc, chunks, at, verb.i, after, prepositions)
            if match is not None:
                found[name] = _phrase(match)
                at = match.end
            prepositions = None
    return found


def _clause(doc: Any, at: int) -> str:
    """Returns the rest of the sentence without the word that links it."""
    words = [token for token in doc[at:] if not token.is_space]
    while words and words[-1].is_punct:
        words.pop()
    if words and words[0].lower_ in LINKS:
        words.pop(0)
    return str(doc[words[0].i : words[-1].i + 1]) if words else ""


def _next(doc: Any, chunks: list[Any], at: int, verb: int, after: bool, prepositions: set[str] | None) -> Any:
    for chunk in chunks:
        if chunk.start < at or (not after and chunk.end > verb):
            continue
        before = doc[chunk.start - 1] if chunk.start else None
        led_by = before.lower_ if before is not None and before.tag_ in ("IN", "TO", "RP") else ""
        if prepositions is None:
            if not led_by:
                return chunk
        elif led_by and (not prepositions or led_by in prepositions):
            return chunk
    return None


def _phrase(chunk: Any) -> Phrase:
    words = [token.text for token in chunk]
    if words[0] != "I" and chunk[0].tag_ not in ("NNP", "NNPS"):
        words[0] = words[0].lower()
    text = " ".join(words)
    many = chunk.root.tag_ in ("NNS", "NNPS") or text in MANY
    return Phrase(SUBJECTS.get(text, text), OBJECTS.get(text, text), many)


def is_present(verb: Any) -> bool:
    """Returns whether the verb, or the auxiliary that has its tense, is in the present."""
    finite = next((child for child in verb.children if child.dep_ in ("aux", "auxpass")), verb)
    return finite.tag_ in ("VBZ", "VBP", "MD")


def items(row: dict[str, Any], draw: Draw) -> Iterator[Item]:
    example = value(row, "example")
    doc = parsed(example)
    verb = next((token for token in doc if token.tag_[:2] == "VB" and token.dep_ == "ROOT"), None)
    if verb is None:
        raise PassedOver("the parser finds no verb at the head of the example")
    frame = _Frame(gerund(verb_of(verb)), is_present(verb), roles_of(row, doc, verb))
    hypotheses = _hypotheses(row, frame)
    if not hypotheses:
        raise PassedOver("no predicate with a template has its roles in the example")
    for origin, texts in hypotheses.items():
        yield Item(
            {"context": example, "class": row["group"]},
            "true",
            source_id=f"{row['class']}_{row['frame']}",
            hypotheses={key: text.replace("{", "{{").replace("}", "}}") for key, text in texts.items()},
            misc={**row["misc"], "templates": origin},
        )


@dataclass(frozen=True)
class _Frame:
    """An example as templates need it: the gerund of its verb, its tense, its roles."""

    event: str
    present: bool
    roles: Roles

    def text(self, template: str, filled: dict[str, str]) -> str | None:
        """Returns the template with the phrases of the roles that `filled` puts into its places; None without one."""
        found, is_many = "", False
        for before, field, _, _ in Formatter().parse(template):
            found += before
            if field is None:
                continue
            if field == "E":
                found += self.event
            elif is_verb(field):
                found += conjugated(field)[2 * self.present + is_many]
            else:
                place = field.removesuffix("_object")
                phrase = self.roles.get(filled[place], Phrase("", ""))
                text = phrase.subject if field == place else phrase.object
                if not text:
                    return None
                found += text
                is_many = phrase.is_many
        return capitalised(found)


def _hypotheses(row: dict[str, Any], frame: _Frame) -> dict[str, dict[str, str]]:
    """Returns what is true of the example, and what is said with wrong roles, if it is not true by another predicate.

    By whose templates they are: `published` or `ours`. The keys of the texts begin with `true` or `wrong`.
    """
    stated = list(_stated(row, frame))
    true = {text for *_, text in stated}
    found: dict[str, dict[str, str]] = {}
    for name, template, filled, text in stated:
        texts = found.setdefault("published" if name in PUBLISHED else "ours", {})
        texts[f"true: {text}"] = text
        for wrong in _wrong(name, filled, frame.roles):
            false = frame.text(template, wrong)
            if false and false not in true and not any(f"wrong: {false}" in each for each in found.values()):
                texts[f"wrong: {false}"] = false
    return found


def _stated(row: dict[str, Any], frame: _Frame) -> Iterator[tuple[str, str, dict[str, str], str]]:
    """Yields the key of the templates, template, the roles in its places, and its text, once for each text."""
    expressed = {name for tag, name, _ in row["syntax"] if tag == "NP"}
    before: set[str] = set()
    for predicate, negated, args in row["predicates"]:
        given = [name.lstrip("?") for kind, name in args if kind == "ThemRole"]
        at = next((at for at in WHEN for _, name in args if name.startswith(f"{at}(")), "")
        more = [name.removeprefix("V_") for kind, name in args if kind in ("Constant", "VerbSpecific")]
        keys = [f"{predicate} {each}" for each in filter(None, (at, *more))]
        if not (predicate == "contact" and at):
            keys.append(predicate)
        if negated:
            keys = [f"not {predicate}"]
        for key, both in ((each, both) for each in keys for both in TEMPLATES.get(each, ())):
            template, _, unsaid = both.replace("{when}", WHEN.get(at, "")).partition("|")
            filled = _filled(template, given)
            if filled is None:
                continue
            if unsaid and not expressed & set(filled.values()):
                template, filled = unsaid, {}
            text = frame.text(template, filled)
            if text and text not in before:
                before.add(text)
                yield key, template, filled, text


def _filled(template: str, given: list[str]) -> dict[str, str] | None:
    """Returns the roles in the template's places; None if the predicate does not have them."""
    fields = {field.removesuffix("_object") for _, field, *_ in Formatter().parse(template) if field}
    by_place = dict(zip(PLACES, given, strict=False))
    filled = {place: by_place.get(place, place) for place in fields if place != "E" and not is_verb(place)}
    return filled if set(filled.values()) <= set(given) else None


def _wrong(predicate: str, filled: dict[str, str], roles: Roles) -> Iterator[dict[str, str]]:
    """Yields the places with another role in one of them, and with two roles exchanged."""
    places = [place for place in sorted(filled) if filled[place] in EXCHANGED]
    others = [name for name, phrase in roles.items() if phrase.subject and name not in filled.values()]
    for place in places:
        into = EXCHANGED if filled[place] in ("Agent", "Experiencer") else ANYWHERE
        yield from ({**filled, place: other} for other in others if other in into)
    if len(places) > 1 and not set(predicate.split()) & set(SYMMETRIC):
        one, other = places[:2]
        yield {**filled, one: filled[other], other: filled[one]}


VERBNET = Recipe(
    name="verbnet",
    about="VerbNet: the XML files of its classes, such as destroy-44.xml",
    corpus="VerbNet",
    phenomenon="Thematic Roles",
    citation="Kipper Schuler 2005, VerbNet: A broad-coverage, comprehensive verb lexicon",
    licence="VerbNet licence 3.0",
    read=read,
    items=items,
    partition=Partition(together="VerbNet {class}"),
    true=lambda key, item: key.startswith("true"),
)
