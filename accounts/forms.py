"""What people say about themselves and their accounts."""

import zoneinfo
from typing import Any

from allauth.account.forms import AddEmailForm
from allauth.account.models import EmailAddress
from django import forms

from accounts.models import User


class ProfileForm(forms.ModelForm):
    """Display name and time zone."""

    timezone = forms.ChoiceField(
        label="Time zone", choices=lambda: [(name, name) for name in sorted(zoneinfo.available_timezones())]
    )

    class Meta:
        model = User
        fields = ("display_name", "timezone")


class ChangeEmailForm(AddEmailForm):
    """The new address of an account, which replaces the present one once it is confirmed.

    Only a confirmed address can be replaced: the pending one is recognised by being the unconfirmed one, and with two
    of them the account would lose the address that it signs in with.
    """

    def clean_email(self) -> str:
        email = super().clean_email()
        assert self.user is not None
        if not EmailAddress.objects.filter(user=self.user, verified=True).exists():
            raise forms.ValidationError(
                f"Confirm {self.user.email} first: open the link in the mail that was sent there, then change it."
            )
        return email


class DeleteForm(forms.Form):
    """What someone gives to have their account deleted: the password, or their address where there is no password."""

    password = forms.CharField(widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}))
    email = forms.EmailField(label="The address of this account, as you sign in with it")

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        self.user = user
        super().__init__(*args, **kwargs)
        del self.fields["email" if user.has_usable_password() else "password"]

    def clean_password(self) -> str:
        password = self.cleaned_data["password"]
        if not self.user.check_password(password):
            raise forms.ValidationError("This is not your password. Nothing was deleted.")
        return str(password)

    def clean_email(self) -> str:
        email = str(self.cleaned_data["email"]).strip().lower()
        if email != self.user.email:
            raise forms.ValidationError("This is not the address of this account. Nothing was deleted.")
        return email
