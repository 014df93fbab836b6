"""People, and the premium time granted to them."""

import zoneinfo
from datetime import datetime
from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.timezone import now

from telemetry.context import REQUEST_ID_LENGTH


def known_timezone(name: str) -> None:
    """Raise ValidationError unless `name` is in the time zone database, such as Europe/Paris."""
    if name not in zoneinfo.available_timezones():
        raise ValidationError(f'"{name}" is not a time zone; choose one such as Europe/Paris.')


class UserManager(BaseUserManager["User"]):
    """Makes people; an email address is one whatever its letter case."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create a person who signs in with `email`; without a password they cannot until they reset it."""
        if not email:
            raise ValueError("a person needs an email address to sign in with")
        user = self.model(email=email, **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create a member of staff who may do everything in the admin."""
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email=(username or "").strip().lower())


class User(AbstractBaseUser, PermissionsMixin):
    """A person with an account."""

    email = models.EmailField("email address", unique=True)
    display_name = models.CharField(max_length=80, blank=True, help_text="Shown to others beside what you write.")
    timezone = models.CharField(max_length=64, default="UTC", validators=[known_timezone])
    is_staff = models.BooleanField("staff", default=False, help_text="May open the staff pages and all content.")
    is_active = models.BooleanField("active", default=True, help_text="Clear it instead of deleting someone.")
    date_joined = models.DateTimeField(default=now)

    objects: ClassVar[UserManager] = UserManager()

    class Meta:
        constraints = [models.CheckConstraint(condition=~models.Q(email=""), name="accounts_user_has_an_email")]

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    def __str__(self) -> str:
        return self.display_name or self.email

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.email = self.email.strip().lower()
        super().save(*args, **kwargs)

    @property
    def premium_until(self) -> datetime | None:
        """When the last of their grants ends; None where there never was one. May lie in the past."""
        return self.grants.aggregate(end=models.Max("until"))["end"]


class Grant(models.Model):
    """Premium access given by us until a moment, with the reason kept."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="grants")
    until = models.DateTimeField(help_text="Premium content is open before this moment (UTC).")
    reason = models.CharField(max_length=200)
    given = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-until"]

    def __str__(self) -> str:
        return f"{self.user.email} until {self.until:%Y-%m-%d %H:%M} UTC"


class AppendOnly(Exception):
    """An entry of the audit log is neither changed nor taken away."""


class AuditQuerySet(models.QuerySet["AuditEntry"]):
    def update(self, **fields: Any) -> int:
        raise AppendOnly("entries of the audit log are not changed")

    def delete(self) -> tuple[int, dict[str, int]]:
        raise AppendOnly("entries of the audit log are not deleted; they go when their time is over")

    def forget(self, before: datetime) -> int:
        """Delete what is older than `before`: for `accounts.retention` alone."""
        return super().filter(at__lt=before)._raw_delete(self.db)


class AuditEntry(models.Model):
    """One thing that staff did (`accounts.audit`). Accounts stand in it by number, so it can outlive them."""

    class Action(models.TextChoices):
        VIEWED = "viewed", "Looked at"
        GRANTED = "granted", "Premium"
        CHANGED = "changed", "Changed"
        DELETED = "deleted", "Deleted"
        MODERATED = "moderated", "Moderated"

    WHAT_LENGTH = 300

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    action = models.CharField(max_length=10, choices=Action.choices)
    by = models.BigIntegerField(null=True, db_index=True, help_text="Number of the account; none: the command line.")
    about = models.BigIntegerField(null=True, db_index=True, help_text="Number of the account.")
    what = models.CharField(max_length=WHAT_LENGTH)
    request_id = models.CharField(max_length=REQUEST_ID_LENGTH, blank=True)

    objects = AuditQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "audit entries"

    def __str__(self) -> str:
        return f"{self.action}: {self.what}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise AppendOnly("an entry of the audit log is not changed")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        raise AppendOnly("an entry of the audit log is not deleted")
