"""The project itself as a Django app: it owns no models, only the commands that cross the other apps."""

from django.apps import AppConfig


class HeadroomConfig(AppConfig):
    name = "headroom"
