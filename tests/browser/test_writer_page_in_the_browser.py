"""The page of a writer in a real browser; axe on it."""

from collection.writing.claiming import claim_writing
from collection.writing.submitting import Signals, submit_writing
from tests.browser.looks import LOOKS, complaints, no_sideways_scroll
from tests.browser.site import make_site
from tests.cast import ana, rosa, vera


@LOOKS
def test_the_page_of_a_writer_fits_and_can_be_read(live_server, watched, look):
    corpus = make_site(ana(), vera())
    for writer in (ana(), vera()):
        task = claim_writing(corpus=corpus, annotator=writer)
        texts = {label: f"The boat of {writer.username} is {label}." for label in task.labels}
        typed = Signals(active_ms=60_000, keystrokes=90, pastes=1, pasted_chars=12, bursts=4)
        submit_writing(annotator=writer, token=task.token, texts=texts, key=task.token, signals=typed)
    page = watched(rosa(), **look)
    page.goto(f"/c/small/writers/{ana().code}/")
    assert no_sideways_scroll(page)
    assert complaints(page, "writer") == []
