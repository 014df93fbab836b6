"""What notes keep of a person."""

from accounts import personal
from notes.models import Note

personal.rows(Note, "notes/notes", "Your notes and bookmarks")
