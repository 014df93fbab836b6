"""What courses tell of themselves to whoever listens; they import no listener."""

from django.dispatch import Signal

synced = Signal()
"""The curriculum in the database is what its files say. Sent inside the transaction of `courses.sync.sync`."""
