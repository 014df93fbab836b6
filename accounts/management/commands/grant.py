"""Give someone premium access: `python manage.py grant EMAIL --until 2027-01-31`."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.core.management import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts import audit
from accounts.models import User


class Command(BaseCommand):
    help = "Give the person with this email address premium access up to and including a day (UTC)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--until", required=True, metavar="YYYY-MM-DD", help="the last day of access, in UTC")
        parser.add_argument("--reason", default="granted on the command line")

    def handle(self, *args: Any, email: str, until: str, reason: str, **options: Any) -> None:
        try:
            last_day = datetime.strptime(until, "%Y-%m-%d").date()
            end = datetime.combine(last_day, time.min, UTC) + timedelta(days=1)
        except (ValueError, OverflowError):
            raise CommandError(f'--until is "{until}"; expected a day such as 2027-01-31.') from None
        if end <= timezone.now():
            raise CommandError(f"--until is {until}, which is over already; expected a day from today on.")
        user = User.objects.filter(email=email.strip().lower()).first()
        if user is None:
            raise CommandError(f"nobody has an account with {email}; they sign up first, then run this again.")
        user.grants.create(until=end, reason=reason)
        audit.record(audit.GRANTED, by=None, about=user.pk, what=f"premium until {end:%Y-%m-%d %H:%M} UTC")
        self.stdout.write(f"{user.email} has premium access through {until} (UTC).")
