"""What people say about themselves and their accounts."""

import zoneinfo

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
