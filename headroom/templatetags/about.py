"""What a public page says of itself to search engines and to whoever shows a card for its link."""

from __future__ import annotations

from typing import Any

from django import template
from django.conf import settings

from headroom import card_pages, cards

register = template.Library()


@register.inclusion_tag("components/about.html", takes_context=True)
def about(context: template.Context, title: str, text: str, kind: str = "website") -> dict[str, Any]:
    """Print description, canonical address and card. `text` is printed for everyone, whatever is locked.

    The canonical address is the page's own without its query, on the host that mails name (SITE_URL): the inputs of a
    calculator and the filters of a list are the same page.
    """
    request = context.get("request")
    site = settings.SITE_URL.rstrip("/")
    made: dict[str, Any] = {"title": title, "text": text, "kind": kind}
    if request:
        made |= {"address": f"{site}{request.path}", "card": f"{site}{card_pages.address(request.path, title)}"}
    return made | {"card_size": cards.SIZE}
