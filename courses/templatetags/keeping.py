"""A part of a page that is the same for everyone to whom the same is open (`courses.shelf`)."""

from __future__ import annotations

from typing import Any

from django import template
from django.template.base import FilterExpression, NodeList, Parser, Token
from django.utils.safestring import SafeString, mark_safe

from courses import shelf

register = template.Library()

# What says who asks is not there inside: a part that prints it would be somebody's.
NOBODY: dict[str, Any] = {"request": None, "user": None, "perms": None, "messages": (), "csrf_token": shelf.CSRF}


class KeptNode(template.Node):
    def __init__(self, inside: NodeList, key: list[FilterExpression]) -> None:
        self.inside, self.key = inside, key

    def render(self, context: template.Context) -> SafeString:
        key = ("part", *(each.resolve(context) for each in self.key))

        def make() -> SafeString:
            with context.push(**NOBODY):
                return mark_safe(self.inside.render(context))  # rendered with autoescape like any part of a page

        return shelf.kept(key, make)


@register.tag
def kept(parser: Parser, token: Token) -> KeptNode:
    """Render what is inside once for each key: `{% kept "text" lesson.slug opened.decision %}…{% endkept %}`.

    The key says everything that the part depends on beside the curriculum. The page must be answered with `shelf.page`.
    """
    _, *words = token.split_contents()
    if len(words) < 2:
        raise template.TemplateSyntaxError("kept needs the part's name and what it depends on")
    inside = parser.parse(("endkept",))
    parser.delete_first_token()
    return KeptNode(inside, [parser.compile_filter(word) for word in words])
