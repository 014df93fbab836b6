"""Accounts as a Django app."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        """Let every app say in its module `kept` what it keeps of a person (`accounts.personal`)."""
        autodiscover_modules("kept")
