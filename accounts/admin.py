"""Staff pages for people and grants."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm

from accounts.models import Grant, User


class GrantInline(admin.TabularInline):
    model = Grant
    extra = 0
    readonly_fields = ("given",)


class PersonCreationForm(AdminUserCreationForm):
    class Meta:
        model = User
        fields = ("email",)


@admin.register(User)
class UserAdmin(DjangoUserAdmin):
    """People by email address; Django's own form goes by user name."""

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


@admin.register(Grant)
class GrantAdmin(admin.ModelAdmin):
    list_display = ("user", "until", "reason", "given")
    list_filter = ("until",)
    search_fields = ("user__email", "reason")
    autocomplete_fields = ("user",)
    readonly_fields = ("given",)
