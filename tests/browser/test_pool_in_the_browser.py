"""The pages about the pool on a phone: axe finds nothing serious, and all fits the screen."""

from tests.browser.looks import LOOKS, complaints, width_of
from tests.browser.site import make_site
from tests.corpora import make_corpus, make_pair, make_premise
from tests.validation.votes import vote
from validation.labelling.claiming import claim_batch
from validation.labelling.submitting import submit_batch


@LOOKS
def test_the_pages_of_the_pool_are_accessible(live_server, watched, vera, rosa, look):
    question = make_site(vera).questions.get()
    batch = claim_batch(question=question, annotator=vera)
    labels = {item.seat.token: "neutral" for item in batch.items}
    submit_batch(annotator=vera, token=batch.assignment.token, labels=labels, key="one")
    scenes = make_corpus(slug="scenes")
    scenes.questions.update(gold_rule="adjudicated")
    pair = make_pair(scenes, make_premise(scenes, "A dog runs."), "An animal moves.")
    vote(pair, scenes.questions.get(), "eeecc")
    page, found = watched(rosa, **look), []
    for address in (
        "/corpora/small/pool/",
        f"/corpora/small/pool/{vera.code}/",
        "/corpora/small/controls/?percent=50",
        "/corpora/scenes/adjudication/",
        "/corpora/small/pairs/?votes=complete",
        "/corpora/scenes/pairs/",
        f"/corpora/scenes/pairs/{pair.public_id}/",
    ):
        page.goto(address)
        found += complaints(page, address)
        if width_of(page) > page.evaluate("innerWidth"):
            found.append(f"{address}: wider than the screen")
    assert found == []
