"""Profiles in the admin: what a provider's models can do, as questions of which only wrong answers are corrected."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from django import forms
from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agentcore.admin.picks import picks_offer
from agentcore.models import Provider
from agentcore.providers.profile import ModelProfile, Replay, SchemaDialect, ToolMode, profile_of

PREFIX = "profile_"
PROFILE_FIELDS = [field.name for field in fields(ModelProfile)]
# Side by side, where the window has room for it.
ROWS = [
    ("profile_tool_mode", "profile_parallel_tools", "profile_schema_dialect"),
    ("profile_vision", "profile_json_schema", "profile_stream_usage"),
    ("profile_reasoning", "profile_replay_reasoning", "profile_reasoning_field"),
    ("profile_context_window", "profile_output_cap", "profile_max_tokens_field"),
    ("profile_cache_markers", "profile_chat", "profile_embeddings"),
]

YES_NO: dict[Any, Any] = {True: gettext_lazy("yes"), False: gettext_lazy("no")}
TOOL_MODES: dict[Any, Any] = {
    ToolMode.NATIVE: gettext_lazy("by itself"),
    ToolMode.JSON_SCHEMA: gettext_lazy("by answers bound to a schema"),
    ToolMode.NONE: gettext_lazy("not at all"),
}
REPLAYS: dict[Any, Any] = {
    Replay.NEVER: gettext_lazy("never"),
    Replay.TOOLS: gettext_lazy("while it calls tools"),
    Replay.ALWAYS: gettext_lazy("always"),
}
SCHEMA_DIALECTS: dict[Any, Any] = {
    SchemaDialect.FULL: gettext_lazy("any JSON schema"),
    SchemaDialect.INLINED: gettext_lazy("JSON schema, no references"),
    SchemaDialect.STRICT: gettext_lazy("OpenAI's strict mode"),
    SchemaDialect.OPENAPI: gettext_lazy("OpenAPI, as Gemini takes it"),
}


class WordsField(forms.ChoiceField):
    """One of ``words``, a word for each value; the empty choice is None: as known."""

    def __init__(self, words: Mapping[Any, Any] = YES_NO, **options: Any) -> None:
        self.words = dict(words)
        super().__init__(required=False, choices=self._offered(""), **options)

    def _offered(self, known: str) -> list[tuple[str, Any]]:
        said = _("as known: %(value)s") % {"value": known} if known else gettext_lazy("as known")
        return [("", said), *((str(value), word) for value, word in self.words.items())]

    def know(self, value: Any) -> None:
        self.choices = self._offered(self.said(value))

    def said(self, value: Any) -> str:
        return str(self.words.get(value, value))

    def clean(self, value: Any) -> Any:
        chosen = super().clean(value)
        return next((known for known in self.words if str(known) == chosen), None)

    def has_changed(self, initial: Any, data: Any) -> bool:
        return str("" if initial is None else initial) != (data or "")


class TokensField(forms.IntegerField):
    """A number of tokens; empty is None: as known."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, min_value=1, **options)

    def know(self, value: Any) -> None:
        self.widget.attrs["placeholder"] = _("as known: %(value)s") % {"value": self.said(value)}

    def said(self, value: Any) -> str:
        return _("unknown") if value is None else formats.number_format(value, force_grouping=True)


class NameField(forms.CharField):
    """What a request calls something; empty is None: as known."""

    def __init__(self, *usual: str, **options: Any) -> None:
        super().__init__(required=False, max_length=64, empty_value=None, **options)
        picks_offer(self, [(name, "") for name in usual])

    def know(self, value: Any) -> None:
        self.widget.attrs["placeholder"] = _("as known: %(value)s") % {"value": self.said(value)}

    def said(self, value: Any) -> str:
        return str(value)


class ProfileForm(forms.ModelForm):
    """The corrections of a provider. What is not corrected follows what the product knows, also when that changes."""

    profile_tool_mode = WordsField(TOOL_MODES, label=gettext_lazy("Calls tools"))
    profile_parallel_tools = WordsField(label=gettext_lazy("Calls several tools at once"))
    profile_schema_dialect = WordsField(SCHEMA_DIALECTS, label=gettext_lazy("Takes tools described in"))
    profile_json_schema = WordsField(label=gettext_lazy("Binds an answer to a schema"))
    profile_vision = WordsField(label=gettext_lazy("Sees pictures"))
    profile_chat = WordsField(label=gettext_lazy("Chats"))
    profile_embeddings = WordsField(label=gettext_lazy("Makes embeddings"))
    profile_reasoning = WordsField(label=gettext_lazy("Thinks before it answers"))
    profile_replay_reasoning = WordsField(REPLAYS, label=gettext_lazy("Wants its thinking back"))
    profile_reasoning_field = NameField("reasoning_content", "reasoning", label=gettext_lazy("Field of its thinking"))
    profile_context_window = TokensField(label=gettext_lazy("Context window, in tokens"))
    profile_output_cap = TokensField(label=gettext_lazy("Longest answer, in tokens"))
    profile_max_tokens_field = NameField(
        "max_tokens", "max_completion_tokens", label=gettext_lazy("Field of the output limit")
    )
    profile_stream_usage = WordsField(label=gettext_lazy("Counts tokens while it streams"))
    profile_cache_markers = WordsField(label=gettext_lazy("Takes cache markers"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        provider_type, base_url, model = (
            str(self.initial.get(name, getattr(self.instance, name)) or "")
            for name in ("provider_type", "base_url", "default_model")
        )
        for name in self._names():
            self.initial[PREFIX + name] = self.instance.profile.get(name)
        if provider_type:
            self._know(profile_of(provider_type=provider_type, base_url=base_url, model=model, corrections={}))

    def _know(self, known: ModelProfile) -> None:
        """Say what each empty choice stands for, also where another was made."""
        for name in self._names():
            field: Any = self.fields[PREFIX + name]
            value = getattr(known, name)
            field.know(value)
            if name in self.instance.profile:
                field.help_text = _("Corrected. As known: %(value)s.") % {"value": field.said(value)}

    def _names(self) -> list[str]:
        return [name for name in PROFILE_FIELDS if PREFIX + name in self.fields]

    def clean(self) -> dict[str, Any]:
        """What this form did not change stays as it is, also what it cannot show."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        changed = [name for name in self._names() if PREFIX + name in self.changed_data]
        corrected = {name: cleaned.get(PREFIX + name) for name in changed}
        kept = {name: value for name, value in self.instance.profile.items() if name not in changed}
        self.instance.profile = kept | {name: value for name, value in corrected.items() if value is not None}
        return cleaned


def profile_lines(provider: Provider) -> list[tuple[str, str, bool]]:
    """What holds for the default model: a label, a value in words, and whether it was corrected."""
    effective = profile_of(
        provider_type=provider.provider_type,
        base_url=provider.base_url,
        model=provider.default_model,
        corrections=provider.profile,
    )
    asked: dict[str, Any] = ProfileForm.base_fields
    return [
        (str(asked[name].label), asked[name].said(getattr(effective, bare)), bare in provider.profile)
        for row in ROWS
        for name in row
        for bare in [name.removeprefix(PREFIX)]
    ]
