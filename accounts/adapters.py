"""Where we differ from django-allauth."""

from __future__ import annotations

from typing import Any

from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp
from django.http import Http404, HttpRequest


class ProviderAdapter(DefaultSocialAccountAdapter):
    """Signing in with another site, where its keys are in the environment."""

    def get_app(self, request: HttpRequest, provider: Any, client_id: str | None = None) -> Any:
        """Return the keys for a site. Raises Http404 where there are none: its addresses are not there then."""
        try:
            return super().get_app(request, provider, client_id)
        except SocialApp.DoesNotExist:
            raise Http404(f"no keys for {provider}") from None
