"""Delete what has been kept long enough: `python manage.py retention`."""

from typing import Any

from django.core.management import BaseCommand, CommandError
from django.utils import timezone

from accounts import retention


class Command(BaseCommand):
    help = "Delete what has been kept long enough, as every night; the list of rules is what /account/data/ shows."

    def handle(self, *args: Any, **options: Any) -> None:
        taken = retention.run(timezone.now())
        for rule in retention.rules():
            self.stdout.write(f"{rule.name}: {taken.get(rule.name, 'FAILED')} ({rule.title}: {rule.how_long})")
        if len(taken) < len(retention.rules()):
            raise CommandError("a rule failed; the log says why, the others were run.")
