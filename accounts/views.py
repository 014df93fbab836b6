"""Pages about one's own account that need nothing of courses or labs."""

from allauth.account.decorators import reauthentication_required
from allauth.core import ratelimit
from allauth.usersessions.adapter import get_adapter
from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts import deleting, exporting, personal, retention
from accounts.forms import DeleteForm, ProfileForm
from accounts.models import User

TYPED = "accounts:profile"


@never_cache
def profile(request: HttpRequest) -> HttpResponse:
    """Change display name and time zone. What was typed when the session had ended is there after signing in."""
    if not request.user.is_authenticated:
        if request.method == "POST":
            request.session[TYPED] = {name: request.POST.get(name, "")[:200] for name in ProfileForm.base_fields}
            messages.info(request, "You are signed out, so nothing is saved yet. Sign in: what you typed is kept.")
        return redirect_to_login(request.path)
    typed = request.session.pop(TYPED, None)
    form = ProfileForm(request.POST or None, instance=request.user, initial=typed)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, "Saved.")
        return redirect("account")
    return render(request, "account/profile.html", {"form": form}, status=422 if form.errors else 200)


@login_required
@require_POST
def end_session(request: HttpRequest, number: int) -> HttpResponse:
    """Sign out one other browser of this person. Whose it is not, or what is over already, changes nothing."""
    sessions = UserSession.objects.filter(user=_member(request), pk=number)
    ended = [each for each in sessions if not each.is_current()]
    get_adapter().end_sessions(ended)
    messages.info(request, "Signed out there." if ended else "That browser was signed out already.")
    return redirect("usersessions_list")


@login_required
@never_cache
def data(request: HttpRequest) -> HttpResponse:
    """Say what is kept, and offer to take it along or to delete it."""
    return render(request, "account/data.html", {"parts": personal.parts(), "rules": retention.rules()})


def _member(request: HttpRequest) -> User:
    assert isinstance(request.user, User), "the view must be for those who are signed in"
    return request.user


@login_required
@reauthentication_required
@never_cache
def export(request: HttpRequest) -> HttpResponseBase:
    """Hand over everything that is kept, as one archive."""
    now = timezone.now()
    name = f"headroom-{now:%Y-%m-%d}.zip"
    return FileResponse(exporting.archive(_member(request), now), as_attachment=True, filename=name)


@login_required
@reauthentication_required(enabled=lambda request: not request.user.has_usable_password())
@never_cache
def delete(request: HttpRequest) -> HttpResponse:
    """Delete the account once its owner has given the password; without one they confirmed who they are just now."""
    form = DeleteForm(request.POST or None, user=_member(request))
    status = 200
    if request.method == "POST":
        status = 422
        if not ratelimit.consume(request, action="reauthenticate"):
            form.add_error(None, "Too many tries. Wait a minute, then try again.")
        elif form.is_valid():
            try:
                deleting.delete(_member(request))
            except personal.CannotDelete as why:
                form.add_error(None, str(why))
            else:
                logout(request)
                messages.success(request, "Your account is deleted. We sent a last mail that says so.")
                return redirect("courses:home")
    return render(request, "account/delete.html", {"form": form, "parts": personal.parts()}, status=status)
