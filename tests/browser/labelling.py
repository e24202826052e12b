"""What a test does on the labelling page, by a clock of the page that only the test moves.

The page ignores answers that come too soon after a pair is shown, and sends a whole batch by itself after seconds. By
the real clock a test would have to wait for the first, and on a busy machine would come too late for the second.
"""

from playwright.sync_api import Page

PAGE = "/work/validation/small/"
READ_MS = 300  # as long as a pair must be seen before its answer counts
SENT_MS = 7000  # after that, a whole batch is sent by itself
STANDING_CLOCK = """
    let now = 0;
    performance.now = () => now;
    window.passTime = (milliseconds) => { now += milliseconds; };
"""


def with_standing_clock(page: Page) -> Page:
    """Stops the clock by which the labelling page measures, in all documents that this page opens from now on."""
    page.add_init_script(STANDING_CLOCK)
    return page


def pass_time(page: Page, milliseconds: int) -> None:
    page.evaluate("milliseconds => window.passTime(milliseconds)", milliseconds)


def press(page: Page, keys: str) -> None:
    """Presses one key after another, each once its pair was seen long enough."""
    for key in keys:
        pass_time(page, READ_MS)
        page.keyboard.press(key)


def in_view(page: Page, what: str) -> float:
    """Returns how many pixels of the text are on the screen and not covered."""
    return page.locator(f".stage:visible {what}").first.evaluate("""element => {
        const box = element.getBoundingClientRect();
        const isFree = (x, y) => element.contains(document.elementFromPoint(x, y));
        let free = 0;
        for (let y = Math.ceil(box.top); y < box.bottom; y += 1) if (isFree(box.left + 20, y)) free += 1;
        return free;
    }""")
