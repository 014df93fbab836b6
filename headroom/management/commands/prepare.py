"""Prepare the data of a local machine: migrate, load the curriculum, make an account to try."""

import secrets
from datetime import timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.management import BaseCommand, CommandError, call_command
from django.db import transaction
from django.utils import timezone

from accounts.models import User

EMAIL = "learner@example.org"
PREMIUM_DAYS = 3650


class Command(BaseCommand):
    help = "Migrate, load the curriculum and make an account to try. Safe to run again; for local mode only."

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.PRODUCTION:
            raise CommandError(
                "prepare makes an account with a password that is printed, so it is for local mode only; "
                "run migrate and content sync instead."
            )
        call_command("migrate", interactive=False, verbosity=0)
        call_command("content", "sync")
        password = self.account()
        self.stdout.write("\n  An account to try, with premium access:")
        self.stdout.write(f"  {EMAIL}   {password or '(with the password that you gave it)'}\n\n")

    def account(self) -> str | None:
        """Return the password of the account to try, making the account on first use; None once it was changed.

        The password is random, and kept in the data folder so that a later start can print it again.
        """
        kept = settings.DATA_DIR / "account-to-try"
        user = User.objects.filter(email=EMAIL).first()
        if user is not None:
            password = kept.read_text() if kept.exists() else ""
            return password if password and user.check_password(password) else None
        password = "-".join(secrets.token_hex(2) for _ in range(4))
        with transaction.atomic():
            user = User.objects.create_user(EMAIL, password, display_name="Learner")
            EmailAddress.objects.create(user=user, email=EMAIL, verified=True, primary=True)
            until = timezone.now() + timedelta(days=PREMIUM_DAYS)
            user.grants.create(until=until, reason="the account to try of make up")
            kept.touch(mode=0o600)
            kept.write_text(password)
        return password
