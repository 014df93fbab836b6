"""`manage.py practice rebuild`: compute anew, from the log, where every card stands."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db.models import Exists, OuterRef

from accounts.models import User
from practice import reviewing
from practice.models import CardState, Review


class Command(BaseCommand):
    help = "Upkeep of what people practised."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "do", choices=["rebuild"], help="rebuild: compute anew from the log where every card stands"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        logged = Review.objects.order_by("user_id", "card").values_list("user_id", "card").distinct()
        seen = 0
        for user_id, card in logged.iterator():
            reviewing.rebuild(User(pk=user_id), card)
            seen += 1
        of_card = Review.objects.filter(user=OuterRef("user"), card=OuterRef("card"))
        dropped, _ = CardState.objects.filter(~Exists(of_card)).delete()
        self.stdout.write(f"{seen:,} cards computed anew, {dropped:,} without a review dropped")
