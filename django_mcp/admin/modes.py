"""The choice of an approval mode."""

from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from django_mcp.changes import OFFERED_MODES
from django_mcp.models.exposure import MODE_CHOICES

LABELS = dict(MODE_CHOICES)


def mode_choices(blank: str | Promise, current: str = "") -> list[tuple[str, str | Promise]]:
    """Return the modes on offer, a blank that is labelled `blank`, and the one that a row holds already."""
    offered = {mode.value for mode in OFFERED_MODES} | {current}
    return [("", blank), *((value, label) for value, label in MODE_CHOICES if value in offered)]


class ModeForm(forms.ModelForm):  # type: ignore[type-arg]
    """A form of a row with an approval mode; `blank_mode` says what a blank means."""

    blank_mode: str | Promise = _("As the server")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields.get("approval_mode")
        if isinstance(field, forms.ChoiceField):
            field.choices = mode_choices(self.blank_mode, self.instance.approval_mode)
