"""The site's addresses and one more: a view that does nothing, behind the same middleware."""

from django.http import HttpRequest, HttpResponse
from django.urls import path

from headroom.urls import handler403, handler404, handler500, urlpatterns

__all__ = ["handler403", "handler404", "handler500", "urlpatterns"]


def bare(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok")


# Last, so that its address is looked for through the same list as a lesson's.
urlpatterns = [*urlpatterns, path("bare/", bare)]
