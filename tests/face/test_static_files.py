"""How production serves what assets/build holds: under names that change with the content, compressed, to be kept."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command
from django.http import HttpResponse
from django.test import RequestFactory
from whitenoise.middleware import WhiteNoiseMiddleware

from tests.headroom.test_settings import PRODUCTION, setting

YEAR_S = 365 * 24 * 3600


@pytest.fixture
def served(settings: Any, tmp_path: Path) -> WhiteNoiseMiddleware:
    """The middleware with production's settings, over collected files."""
    settings.STORAGES = setting("STORAGES", **PRODUCTION)
    settings.STATIC_ROOT = str(tmp_path)
    for name in ("WHITENOISE_USE_FINDERS", "WHITENOISE_AUTOREFRESH"):
        setattr(settings, name, setting(name, **PRODUCTION))
    call_command("collectstatic", interactive=False, verbosity=0)
    return WhiteNoiseMiddleware(lambda request: HttpResponse(status=404))


@pytest.mark.parametrize("name, most", [("editor.js", 150_000), ("headroom.css", 12_000), ("htmx.min.js", 20_000)])
def test_scripts_and_styles_travel_compressed_and_are_asked_for_once(
    served: WhiteNoiseMiddleware, name: str, most: int
) -> None:
    address = staticfiles_storage.url(name)
    answer = served(RequestFactory().get(address, headers={"Accept-Encoding": "gzip"}))
    body = b"".join(answer.streaming_content)  # type: ignore[attr-defined]
    assert address != f"/static/{name}"
    assert answer["Content-Encoding"] == "gzip" and "Accept-Encoding" in answer["Vary"]
    assert len(body) <= most
    assert gzip.decompress(body) == b"".join(served(RequestFactory().get(address)).streaming_content)  # type: ignore[attr-defined]
    directives = answer["Cache-Control"].split(", ")
    assert "immutable" in directives and "public" in directives
    assert max(int(each[8:]) for each in directives if each.startswith("max-age=")) >= YEAR_S


def test_a_font_is_asked_for_once_too(served: WhiteNoiseMiddleware) -> None:
    answer = served(RequestFactory().get(staticfiles_storage.url("fonts/source-serif-4.woff2")))
    assert answer.status_code == 200 and "immutable" in answer["Cache-Control"]
