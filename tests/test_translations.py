"""The catalogues: every text of the product is translated, and what is compiled is what was written."""

import ast
import gettext
import re
import shutil
import struct
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import translation

from conversations.texts import drawer_texts
from scripts.messages import IGNORED, LOCALES, ROOT, catalogue, collect

SOURCES = ("agentcore", "conversations", "governance", "toolsapp", "examples", "config", "templates", "manage.py")
PERCENT = re.compile(r"%(?:\(\w+\))?[#0\- +]*[\d.]*[a-zA-Z]|%%")
LINE = re.compile(r'(?:(msgctxt|msgid_plural|msgid|msgstr(?:\[\d\])?) )?(".*")')


@dataclass
class Entry:
    """One message of a catalogue. ``parts`` are its strings by keyword: ``msgid``, ``msgstr[0]``, …"""

    parts: dict[str, str] = field(default_factory=dict)
    is_fuzzy: bool = False
    flags: str = ""

    @property
    def key(self) -> tuple[str | None, str, str | None]:
        return self.parts.get("msgctxt"), self.parts["msgid"], self.parts.get("msgid_plural")

    @property
    def sources(self) -> list[str]:
        return [text for name, text in self.parts.items() if name.startswith("msgid")]

    @property
    def translations(self) -> list[str]:
        return [text for name, text in self.parts.items() if name.startswith("msgstr")]


def entries_of(path: Path) -> list[Entry]:
    """The messages of a ``.po`` file without its header; obsolete ones are refused."""
    found = []
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        entry, keyword = Entry(), ""
        for line in block.strip().splitlines():
            assert not line.startswith("#~"), f"obsolete: {line}"
            if line.startswith("#"):
                entry.flags += line if line.startswith("#,") else ""
                continue
            match = LINE.fullmatch(line)
            assert match, f"not understood: {line}"
            keyword = match[1] or keyword
            entry.parts[keyword] = entry.parts.get(keyword, "") + ast.literal_eval(match[2])
        found.append(entry)
    return [entry for entry in found if entry.parts and entry.key != (None, "", None)]


def placeholders(text: str, flags: str) -> set[str]:
    """What is filled in: ``%(count)s`` where gettext says so, ``{name}`` always: the drawer's own texts have those."""
    percent = set(PERCENT.findall(text)) if "python-format" in flags else set()
    return percent | set(re.findall(r"\{\w+\}", text))


def copied_sources(target: Path) -> Path:
    """The sources alone, so that collecting them changes nothing here."""
    ignored = shutil.ignore_patterns("__pycache__", *IGNORED)
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=ignored)
        else:
            shutil.copy(source, target / name)
    return target


@pytest.fixture(scope="module", params=LOCALES)
def locale(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def entries(locale: str) -> list[Entry]:
    return entries_of(catalogue(ROOT, locale))


@pytest.mark.gettext
def test_catalogue_has_exactly_the_texts_of_the_sources(locale, entries, tmp_path):
    collect(copied_sources(tmp_path))
    wanted = {entry.key for entry in entries_of(catalogue(tmp_path, locale))}
    written = {entry.key for entry in entries}
    assert len(wanted) > 300
    assert (wanted - written, written - wanted) == (set(), set()), "Run: python -m scripts.messages, and translate."


def test_catalogue_is_translated_and_nothing_is_guessed(entries):
    assert [entry.key for entry in entries if "fuzzy" in entry.flags] == []
    assert [entry.key for entry in entries if not all(entry.translations)] == []
    assert len({entry.key for entry in entries}) == len(entries)


def test_placeholders_are_those_of_the_source(entries):
    wrong = [
        (source, said)
        for entry in entries
        for source in entry.sources
        for said in entry.translations
        if placeholders(source, entry.flags) != placeholders(said, entry.flags)
    ]
    assert wrong == []


def test_edges_are_those_of_the_source(entries):
    """A line break or a blank at an edge is a part of the layout."""
    edges = [(source, said) for entry in entries for source in entry.sources for said in entry.translations]
    assert [(a, b) for a, b in edges if a.endswith("\n") != b.endswith("\n") or b != b.strip()] == []


def test_compiled_catalogue_is_the_written_one(locale, entries):
    compiled = catalogue(ROOT, locale).with_suffix(".mo")
    with compiled.open("rb") as file:
        (count,) = struct.unpack_from("<I", file.read(12), 8)
        file.seek(0)
        spoken = gettext.GNUTranslations(file)
    assert count == len(entries) + 1, "Run: python -m scripts.messages"
    assert [entry.key for entry in entries if not _says(spoken, entry)] == [], "Run: python -m scripts.messages"


def _says(spoken: gettext.GNUTranslations, entry: Entry) -> bool:
    context, text, plural = entry.key
    if plural is None:
        said = spoken.pgettext(context, text) if context else spoken.gettext(text)
    else:
        said = spoken.npgettext(context, text, plural, 2) if context else spoken.ngettext(text, plural, 2)
    return said == entry.translations[-1]


def test_every_language_that_is_offered_has_a_catalogue():
    offered = {translation.to_locale(code) for code, _name in settings.LANGUAGES}
    assert offered == {translation.to_locale(settings.LANGUAGE_CODE), *LOCALES}


def test_a_page_that_is_not_there_says_so_in_chinese(client):
    # The middleware leaves the reader's language behind in this thread.
    with translation.override("en"):
        page = client.get("/nowhere/", headers={"accept-language": "zh-CN"})
    assert page.status_code == 404
    assert "找不到页面" in page.content.decode()


def test_drawer_speaks_chinese():
    with translation.override("zh-hans"):
        texts = drawer_texts()
    plain = {key: text for key, text in texts.items() if not re.search(r"[一-鿿]", text)}
    assert plain == {}
