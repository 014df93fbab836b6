"""Full text over the entries, as the database does it."""

from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from search import engines


def create(_apps: Any, editor: BaseDatabaseSchemaEditor) -> None:
    engines.of(editor.connection).create(editor)


def drop(_apps: Any, editor: BaseDatabaseSchemaEditor) -> None:
    engines.of(editor.connection).drop(editor)


class Migration(migrations.Migration):
    dependencies = [("search", "0001_initial")]

    operations = [migrations.RunPython(create, drop)]
