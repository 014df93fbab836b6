"""Every mail that the site sends. One template makes its text and its HTML: both say the same, with the same links.

A mail's template (`<name>_message.txt`, its subject beside it in `<name>_subject.txt`) extends
`account/email/base_message.txt`, which extends the layout of the part that is being made. In the template

- a blank line ends a paragraph;
- `{% include link with label="Do it" url=address %}` is the mail's one thing to do, `quiet_link` a line of small print.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.http import HttpRequest
from django.template.loader import render_to_string

PARTS = ("txt", "html")


def message(
    name: str,
    context: dict[str, Any],
    to: list[str],
    *,
    headers: dict[str, str] | None = None,
    request: HttpRequest | None = None,
) -> EmailMultiAlternatives:
    """Return the mail called `name` (as in "account/email/deleted"), from the site's own address, ready to be sent."""
    subject = " ".join(render_to_string(f"{name}_subject.txt", context, request).split())
    text, html = (_part(name, part, {**context, "subject": subject}, request) for part in PARTS)
    mail = EmailMultiAlternatives(subject, text, settings.DEFAULT_FROM_EMAIL, to, headers=headers)
    mail.attach_alternative(html, "text/html")
    return mail


def _part(name: str, part: str, context: dict[str, Any], request: HttpRequest | None) -> str:
    frame = {each: f"account/email/{each}.{part}" for each in ("layout", "link", "quiet_link")}
    site = {"site_url": settings.SITE_URL.rstrip("/")}
    return render_to_string(f"{name}_message.txt", {**context, **frame, **site}, request).strip()
