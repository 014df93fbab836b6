"""python manage.py search_index"""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from search.indexing import rebuild


class Command(BaseCommand):
    help = "Bring the search index up to date; `content sync` does it too, and labs that changed need it."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"{rebuild()} entries")
