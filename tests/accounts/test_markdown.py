"""Researchers write Markdown; nothing in it becomes a script."""

import pytest

from accounts.templatetags.markdown import markdown, markdown_line


def test_plain_formatting_works():
    html = markdown("# Title\n\nSome **bold** text, `code`.\n\n- one\n- two\n\n|a|b|\n|-|-|\n|1|2|")
    for piece in (
        "<h1>Title</h1>",
        "<strong>bold</strong>",
        "<code>code</code>",
        "<li>one</li>",
        "<td>1</td>",
    ):
        assert piece in html


def test_links_carry_no_weight_and_no_opener():
    html = markdown("[a](https://example.org) and <https://example.org/b>")
    assert html.count('rel="nofollow noopener"') == 2


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<a href='javascript:alert(1)'>x</a>",
        "text <b onclick=alert(1)>inline</b>",
        "<svg/onload=alert(1)>",
        "<!-- --><iframe src=//evil.example></iframe>",
    ],
)
def test_raw_html_is_shown_as_text(text):
    html = markdown(text)
    assert "&lt;" in html
    for tag in ("<script", "<img", "<a ", "<b", "<svg", "<iframe", "<!--"):
        assert tag not in html


@pytest.mark.parametrize(
    "target",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java&#115;cript:alert(1)",
        "vbscript:x",
        "data:text/html,x",
        "file:///etc",
    ],
)
def test_links_that_run_something_stay_text(target):
    assert "href" not in markdown(f"[x]({target})")
    assert "href" not in markdown(f"[x][r]\n\n[r]: {target}")


def test_quotes_do_not_break_out_of_an_attribute():
    html = markdown('[x](https://example.org/"onmouseover="alert\\(1\\) "t\\" onclick=\\"x")')
    assert " onmouseover=" not in html
    assert 'onclick="' not in html


def test_pictures_are_links_because_a_page_fetches_nothing_from_elsewhere():
    html = markdown("![a picture](https://tracker.example/p.png)")
    assert "<img" not in html
    assert 'href="https://tracker.example/p.png"' in html


def test_nothing_is_nothing():
    assert markdown(None) == markdown("") == ""


def test_a_heading_has_emphasis_and_no_paragraph_and_no_html():
    assert markdown_line("What of *she* & <b>he</b>?") == (
        "What of <em>she</em> &amp; &lt;b&gt;he&lt;/b&gt;?"
    )
