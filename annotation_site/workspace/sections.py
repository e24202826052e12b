"""The sections of a corpus: their names, addresses, pages, and which corpora have them. One table decides."""

from dataclasses import dataclass

from django.db.models import Case, Exists, OuterRef, Q, Value, When
from django.urls import reverse
from django.utils.http import urlencode

from accounts.models import User
from collection.members.gate import may_open, roles_of
from collection.models import Corpus, Prompt
from validation.models import Question

CORPORA_IN_SWITCHER = 30
HOME = "workspace"  # the name of the page with all corpora


@dataclass(frozen=True)
class Section:
    """A section of a corpus.

    `tabs`: its pages as (title, name of the address); the first opens with the section. `pages`: names of further
    addresses that belong to it. `is_filtered`: the first page shows all corpora, and one alone with `?corpus=SLUG`.
    `is_about_question`: its pages take `?question=SLUG`. `needs`: the part of a corpus without which it has no such
    section: "question", "prompt", or nothing.
    """

    title: str
    tabs: tuple[tuple[str, str], ...]
    pages: tuple[str, ...] = ()
    is_filtered: bool = False
    is_about_question: bool = False
    needs: str = ""

    def address(self, slug: str, question: str = "") -> str:
        """Returns the address of its first page for the corpus with this slug."""
        return self.addresses(slug, question)[0]

    def addresses(self, slug: str, question: str = "") -> list[str]:
        """Returns the address of each tab. `question`: the slug of another question than the main one."""
        asked = f"?{urlencode({'question': question})}" if question and self.is_about_question else ""
        found = [
            f"{reverse(name)}?corpus={slug}"
            if self.is_filtered and index == 0
            else f"{reverse(name, args=[slug])}{asked}"
            for index, (_, name) in enumerate(self.tabs)
        ]
        return found

    def has(self, url_name: str) -> bool:
        """Returns whether an address of this name belongs to the section."""
        return url_name in self.pages or any(url_name == name for _, name in self.tabs)

    def is_of(self, corpus: Corpus) -> bool:
        """Returns whether this corpus, one of `corpora_with_parts`, has the section."""
        return not self.needs or bool(getattr(corpus, f"has_{self.needs}"))


def _section(title: str, *tabs: tuple[str, str], **more: object) -> Section:
    return Section(title, tabs, **more)  # type: ignore[arg-type]


OVERVIEW = _section("Overview", ("Overview", "corpus-overview"))
SECTIONS = (
    OVERVIEW,
    _section(
        "Premises", ("Premises", "premises"), ("Import premises", "import-premises"), pages=("pair-premises",)
    ),
    _section(
        "Prompts",
        ("Prompts and pilots", "pilots"),
        ("Side by side", "compare-prompts"),
        ("Arms", "arms"),
        ("Preregistration", "preregistration"),
        ("Advice", "advice-counts"),
        pages=("pilot",),
        needs="prompt",
    ),
    _section(
        "Writing",
        ("Texts", "texts"),
        ("Reviews", "reviews"),
        ("Reports", "report-queue"),
        pages=("review-next", "writer"),
        needs="prompt",
    ),
    _section(
        "Pairs",
        ("Pairs", "pairs"),
        ("What hypotheses give away", "bias"),
        ("For the paper", "paper-pairs"),
        ("Withdraw pairs", "vetting"),
        pages=("pair", "pair-predictions"),
        is_about_question=True,
        needs="question",
    ),
    _section(
        "Labelling",
        ("Progress", "labelling-progress"),
        ("By genre", "finished"),
        ("Open pairs", "open-pairs"),
        ("Extra labels", "more-labels"),
        ("Control items", "controls"),
        ("Calibration items", "calibration"),
        is_about_question=True,
        needs="question",
    ),
    _section(
        "Agreement", ("Agreement", "agreement"), ("Why it changed", "agreement-why"), is_about_question=True
    ),
    _section("Disputes", ("Disputes", "adjudication"), is_about_question=True, needs="question"),
    _section(
        "Annotators",
        ("Statistics", "annotators"),
        ("Labelling pool", "pool"),
        pages=("pool-member",),
        is_about_question=True,
        needs="question",
    ),
    _section(
        "Recruiting", ("Entry links", "entry-links"), ("Invitations", "invitations"), pages=("entry-link",)
    ),
    _section("Pay", ("Pay", "pay")),
    _section(
        "Snapshots",
        ("Snapshots", "snapshots"),
        ("Plan a freeze", "freeze-plan"),
        ("Datasheet", "datasheet-answers"),
        ("Withheld labels", "withheld"),
        pages=(
            "snapshot",
            "snapshot-pairs",
            "snapshot-changes",
            "snapshot-statistics",
            "snapshot-exports",
            "snapshot-file",
            "withheld-file",
            "leaderboard",
            "exported-file",
        ),
        is_filtered=True,
    ),
    _section(
        "Runs",
        ("Runs", "runs"),
        pages=(
            *("run", "run-curves", "new-run", "start-run", "run-predictions", "data-map"),
            *("result-tables", "run-table", "markings", "mark-pair"),
        ),
        is_filtered=True,
    ),
    _section(
        "Settings",
        ("Settings", "corpus-settings"),
        ("Change", "change-corpus"),
        ("Corpus file", "corpus-file"),
        ("Members", "members"),
        ("Pause, archive, delete", "corpus-state"),
        pages=("earlier-text", "simulate"),
    ),
)


def section_of(url_name: str) -> Section | None:
    """Returns the section to which an address of this name belongs."""
    return next((each for each in SECTIONS if each.has(url_name)), None)


def corpora_with_parts(user: User, first: str = "") -> list[Corpus]:
    """Returns the newest corpora of a researcher, without archived ones, each with `has_question` and `has_prompt`.

    `first`: the slug of one that stands before all, archived or not.
    """
    corpora = Corpus.objects.of(user).annotate(
        has_question=Exists(Question.objects.filter(corpus=OuterRef("pk"), is_main=True)),
        has_prompt=Exists(Prompt.objects.filter(corpus=OuterRef("pk"))),
    )
    is_first = Case(When(slug=first, then=Value(0)), default=Value(1))
    shown = corpora.filter(Q(archived_at=None) | Q(slug=first))
    return list(shown.only("slug", "name").order_by(is_first, "-pk")[: CORPORA_IN_SWITCHER + 2])


@dataclass(frozen=True)
class Link:
    """A link of the frame. `current`: the value of aria-current; empty if the reader is elsewhere."""

    title: str
    address: str
    current: str = ""


@dataclass(frozen=True)
class Shell:
    """The frame of a researcher's page. `crumbs` lead from the list of corpora to the page, which they exclude."""

    corpus: Corpus | None
    sections: list[Link]
    tabs: list[Link]
    others: list[Link]
    has_more: bool
    crumbs: list[Link]


def shell_of(user: User, url_name: str, slug: str, question: str = "") -> Shell:
    """Returns the shell of the page with this name about the corpus with this slug, which may be empty.

    `question`: the slug of the question that the page is about, if it is not the main one.
    """
    here = section_of(url_name)
    corpora, roles = corpora_with_parts(user, slug), roles_of(user)
    corpus = next((each for each in corpora if each.slug == slug), None)
    crumbs = [Link("Corpora", reverse("admin:index"))] if url_name != HOME else []
    sections, tabs = [], []
    if corpus is not None:
        if here is not OVERVIEW:
            crumbs.append(Link(corpus.name, OVERVIEW.address(slug)))
        for section in SECTIONS:
            if section.is_of(corpus) and (roles is None or may_open(roles[slug], section.tabs[0][1])):
                is_first = section is here and url_name == section.tabs[0][1]
                current = "" if section is not here else "page" if is_first else "true"
                sections.append(Link(section.title, section.address(slug, question), current))
        if here is not None:
            tabs = [
                Link(title, address, "page" if name == url_name else "")
                for (title, name), address in zip(here.tabs, here.addresses(slug, question), strict=True)
                if roles is None or may_open(roles[slug], name)
            ]
            if url_name != here.tabs[0][1]:
                crumbs.append(Link(here.title, tabs[0].address))
    others = [
        Link(other.name, (here if here and here.is_of(other) else OVERVIEW).address(other.slug))
        for other in corpora
        if other != corpus
    ]
    shown = others[:CORPORA_IN_SWITCHER]
    return Shell(corpus, sections, tabs if len(tabs) > 1 else [], shown, len(others) > len(shown), crumbs)
