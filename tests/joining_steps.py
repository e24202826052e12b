"""Steps by which people come to a corpus, for tests with random histories, and the rule about them in plain Python."""

from contextlib import suppress

from accounts.models import Consent, PlatformIdentity, User
from accounts.people.consents import give_consent, withdraw_consent
from collection.joining.entry_links import Arrival, EntryRefused, enter, set_open
from collection.joining.sign_ups import join
from collection.models import Corpus, EntryLink, SignUp, Visit
from tests.corpora import make_link

STEPS = ("agree", "enter", "shut_link", "sign_up")
ELSEWHERE = "elsewhere"


def make_links(corpus: Corpus) -> None:
    """Makes an entry link to the corpus and one to another corpus."""
    for each in (corpus, Corpus.objects.create(slug=ELSEWHERE, name="Elsewhere")):
        make_link(each, name=each.slug)


class Joining:
    """Acts on people who come in; an even number is about this corpus, an odd one about the other."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpora = [corpus, Corpus.objects.get(slug=ELSEWHERE)]
        self.form = corpus.consent_form

    def do(self, what: str, who: User, n: int) -> None:
        getattr(self, what)(who, self.corpora[n % 2], n)

    def agree(self, who: User, corpus: Corpus, n: int) -> None:
        """Withdraws a consent, or gives it again."""
        if not withdraw_consent(user=who, form=self.form):
            give_consent(user=who, form=self.form)

    def enter(self, who: User, corpus: Corpus, n: int) -> None:
        PlatformIdentity.objects.get_or_create(user=who, platform="prolific", participant=who.username)
        with suppress(EntryRefused):
            enter(link=corpus.entry_links.get(), arrival=Arrival(who.username, session=str(n)), signed_in=who)

    def shut_link(self, who: User, corpus: Corpus, n: int) -> None:
        links = EntryLink.objects.filter(corpus=corpus)
        set_open(links=links, is_open=links.filter(closed_at__isnull=False).exists())

    def sign_up(self, who: User, corpus: Corpus, n: int) -> None:
        """Joins a corpus with an account; or the account itself was made by signing up for it."""
        if n % 3 == 0:
            SignUp.objects.get_or_create(user=who, corpus=corpus)
        else:
            join(corpus=corpus, annotator=who)


def is_open_to(corpus: Corpus, who: User) -> bool:
    """Applies the rule to the rows: who came by themselves may work only where a link or a sign-up led."""
    came = {visit.link.corpus_id for visit in Visit.objects.filter(user=who).select_related("link")}
    joined = set(SignUp.objects.filter(user=who).values_list("corpus", flat=True))
    by_themselves = joined or PlatformIdentity.objects.filter(user=who).exists()
    return not by_themselves or corpus.pk in came | joined


def has_agreed(corpus: Corpus, who: User) -> bool:
    return Consent.objects.filter(user=who, form=corpus.consent_form, withdrawn_at=None).exists()
