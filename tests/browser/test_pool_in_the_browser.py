"""The pages about the pool on a phone: axe finds nothing serious, all fits the screen, and nobody is excluded by a slip."""

import pytest
from playwright.sync_api import expect

from collection.models import SignUp
from tests.browser.looks import LOOKS, complaints, width_of
from tests.browser.site import make_site
from tests.corpora import make_corpus, make_pair, make_premise
from tests.open_pairs import send_all
from tests.validation.votes import vote
from validation.labelling.claiming import claim_batch


@pytest.mark.thorough
@LOOKS
def test_the_pages_of_the_pool_are_accessible(live_server, watched, vera, rosa, look):
    question = make_site(vera).questions.get()
    batch = claim_batch(question=question, annotator=vera)
    send_all(batch, vera, key="one")
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


@pytest.mark.thorough
@LOOKS
def test_excluding_somebody_takes_their_code(live_server, watched, vera, rosa, look):
    SignUp.objects.create(corpus=make_site(vera), user=vera)
    page = watched(rosa, **look)
    page.goto(f"/corpora/small/pool/{vera.code}/")
    page.get_by_label("Reason").fill("Guesses.")
    code = page.get_by_label(f"Type the code {vera.code} to exclude them")
    code.press("Enter")  # the first button of the form is the preview
    expect(page.get_by_text("This is a preview; nothing has changed yet.")).to_be_visible()
    exclude = page.get_by_role("button", name=f"Exclude {vera.code}")
    exclude.click()
    expect(page.get_by_role("alert")).to_have_text(
        f"Nobody was excluded. To confirm, type the code {vera.code} below."
    )
    assert complaints(page, "excluding") == []
    expect(page.get_by_label("Reason")).to_have_value("Guesses.")
    code.fill(vera.code)
    exclude.click()
    expect(page.get_by_role("button", name="Undo the exclusion")).to_be_visible()
