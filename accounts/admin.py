"""Staff pages for people, grants and the audit log."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm
from django.http import HttpRequest

from accounts import audit
from accounts.models import AuditEntry, Grant, User
from accounts.staff import FirstPages, OnlyRead


class GrantInline(admin.TabularInline):
    model = Grant
    extra = 0
    readonly_fields = ("given",)


class PersonCreationForm(AdminUserCreationForm):
    class Meta:
        model = User
        fields = ("email",)


@admin.register(User)
class UserAdmin(audit.Watched, DjangoUserAdmin):
    """People by email address; Django's own form goes by user name."""

    person = ""
    paginator = FirstPages
    show_full_result_count = False
    add_form = PersonCreationForm
    ordering = ("email",)
    list_display = ("email", "display_name", "is_staff", "is_active", "date_joined", "last_login")
    list_filter = ("is_staff", "is_active")
    search_fields = ("email", "display_name")
    readonly_fields = ("date_joined", "last_login")
    inlines = (GrantInline,)
    fieldsets = (
        (None, {"fields": ("email", "password", "display_name", "timezone")}),
        ("May", {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")}),
        ("When", {"fields": ("date_joined", "last_login")}),
    )
    add_fieldsets = ((None, {"fields": ("email", "usable_password", "password1", "password2")}),)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        super().save_formset(request, form, formset, change)
        for grant in [*formset.new_objects, *(grant for grant, _ in formset.changed_objects)]:
            note_grant(request, grant)
        for grant in formset.deleted_objects:
            note_grant(request, grant, "taken away: ")

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> Any:
        if request.method == "POST" and (user := self.get_object(request, id)) is not None:
            self.note(request, audit.CHANGED, user, "password form sent")
        return super().user_change_password(request, id, form_url)


def note_grant(request: HttpRequest, grant: Grant, done: str = "") -> None:
    what = f"{done}premium until {grant.until:%Y-%m-%d %H:%M} UTC"
    audit.record(audit.GRANTED, by=request.user, about=grant.user_id, what=what)


@admin.register(Grant)
class GrantAdmin(audit.Watched):
    list_display = ("user", "until", "reason", "given")
    list_filter = ("until",)
    search_fields = ("user__email", "reason")
    autocomplete_fields = ("user",)
    readonly_fields = ("given",)

    def save_model(self, request: HttpRequest, obj: Grant, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        note_grant(request, obj)

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        for grant in queryset:
            note_grant(request, grant, "taken away: ")
        return super().log_deletions(request, queryset)


@admin.register(AuditEntry)
class AuditEntryAdmin(OnlyRead):
    """What staff did: to read, and to find by the number of an account, or by a request's id."""

    list_display = ("at", "action", "by_whom", "about_whom", "what")
    list_filter = ("action", "at")
    search_fields = ("=by", "=about", "what", "=request_id")
    show_full_result_count = False

    @admin.display(description="by", ordering="by")
    def by_whom(self, entry: AuditEntry) -> str:
        return self._account(entry.by) if entry.by is not None else "the command line"

    @admin.display(description="about", ordering="about")
    def about_whom(self, entry: AuditEntry) -> str:
        return self._account(entry.about) if entry.about is not None else "–"

    @staticmethod
    def _account(number: int) -> str:
        found = User.objects.filter(pk=number).first()
        return f"{found} ({number})" if found else f"a deleted account ({number})"
