"""Where we differ from django-allauth."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context as current
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp
from django.core.mail import EmailMessage
from django.http import Http404, HttpRequest

from accounts import mailing


class AccountAdapter(DefaultAccountAdapter):
    """Accounts whose mails are made as all of ours are: text and HTML from one template."""

    def render_mail(
        self,
        template_prefix: str,
        email: str | list[str],
        context: dict[str, Any],
        headers: dict[str, str] | None = None,
    ) -> EmailMessage:
        """Return the mail; allauth sends it."""
        to = [email] if isinstance(email, str) else email
        return mailing.message(template_prefix, context, to, headers=headers, request=current.request)


class ProviderAdapter(DefaultSocialAccountAdapter):
    """Signing in with another site, where its keys are in the environment."""

    def get_app(self, request: HttpRequest, provider: Any, client_id: str | None = None) -> Any:
        """Return the keys for a site. Raises Http404 where there are none: its addresses are not there then."""
        try:
            return super().get_app(request, provider, client_id)
        except SocialApp.DoesNotExist:
            raise Http404(f"no keys for {provider}") from None
