"""`{{ text|markdown }}`, and `{{ text|markdown_line }}` for a heading: renders Markdown as safe HTML.

Prompts, FAQs and consent forms are Markdown.
"""

from collections.abc import Sequence
from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

register = template.Library()


def _link_open(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: dict[str, Any]
) -> str:
    tokens[index].attrSet("rel", "nofollow noopener")
    return renderer.renderToken(tokens, index, options, env)


def _parser() -> MarkdownIt:
    """Returns a parser without raw HTML, without links of other schemes than http(s) and mailto, and without
    pictures, because a page must not fetch from elsewhere."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    parser.add_render_rule("link_open", _link_open)
    return parser


PARSER = _parser()


@register.filter
def markdown(text: str | None) -> SafeString:
    return mark_safe(PARSER.render(text or ""))  # the parser escapes everything else


@register.filter
def markdown_line(text: str | None) -> SafeString:
    """Renders emphasis and links only, without a paragraph, for headings."""
    return mark_safe(PARSER.renderInline(text or ""))
