"""What people say about themselves."""

import zoneinfo

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
