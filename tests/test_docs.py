"""The documents say what the code says: a name that is missing in them, or that only they know, fails here."""

import ast
import hashlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import BaseCommand, get_commands, load_command_class

from agentcore.conf import StewardSettings
from agentcore.errors import BY_CODE
from agentcore.events import EventType
from agentcore.providers.profile import ModelProfile, Replay, SchemaDialect, ToolMode
from agentcore.runs.requests import RunRequest
from conversations.frames import Frame, Notice, Refused, parse
from tests.api.description import description, operations
from toolsapp.decorator import define
from toolsapp.definition import ToolDefinition

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "reference"
APPS = ("agentcore", "conversations", "toolsapp", "governance", "examples.")
OUR_FILES = re.compile(r"`((?:agentcore|conversations|toolsapp|governance|config|scripts|static|tests)/[\w/.-]+)`")
NAME = re.compile(r"`([A-Za-z_]+)`(?: ◦)?")


def first_cells(page: str) -> list[str]:
    """The first cells of all tables of a reference page."""
    lines = (REFERENCE / page).read_text(encoding="utf-8").split("\n")
    return [line.split("|")[1].strip() for line in lines if line.startswith("|")]


def documented(page: str) -> set[str]:
    return {match[1] for cell in first_cells(page) if (match := NAME.fullmatch(cell))}


def test_every_setting_is_documented() -> None:
    assert StewardSettings.model_fields.keys() - documented("settings.md") == set()


def test_every_documented_default_is_the_real_one() -> None:
    text = (REFERENCE / "settings.md").read_text(encoding="utf-8")
    shown = dict(re.findall(r"^\| `([A-Z_]+)`(?: ◦)? \| `([^`]+)` \|", text, re.MULTILINE))
    real = {key: field.default for key, field in StewardSettings.model_fields.items()}
    literal = {key: value for key, value in shown.items() if key in real and key != "ALLOW_PRIVATE_PROVIDER_URLS"}
    assert len(literal) > 30
    assert literal == {key: repr(real[key]).replace("'", '"') for key in literal}


def test_every_event_is_documented_and_no_other() -> None:
    assert documented("events.md") == {event.value for event in EventType}


def test_every_error_is_documented_and_no_other() -> None:
    assert documented("errors.md") == BY_CODE.keys()


def errors_used(source: str) -> set[str]:
    """The names of our errors that ``source`` raises or hands on; asking one for its code is no use of it."""
    nodes = list(ast.walk(ast.parse(source)))
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module == "agentcore.errors"]
    asked = {id(node.value) for node in nodes if isinstance(node, ast.Attribute) and node.attr == "code"}
    names = {node.id for node in nodes if isinstance(node, ast.Name) and id(node) not in asked}
    return names & {alias.name for node in imports for alias in node.names}


def test_an_error_is_marked_as_not_raised_yet_exactly_when_no_code_uses_it() -> None:
    marked = {cell.split("`")[1] for cell in first_cells("errors.md") if cell.endswith(" ◦")}
    sources = [file.read_text("utf-8") for app in APPS[:4] for file in (ROOT / app).rglob("*.py")]
    used = {name for source in sources for name in errors_used(source)}
    assert marked == {code for code, error in BY_CODE.items() if error.__name__ not in used}


@pytest.mark.parametrize("code", sorted(BY_CODE))
def test_the_documented_status_is_the_real_one(code: str) -> None:
    row = re.search(
        rf"^\| `{code}`(?: ◦)? \| ([0-9, ]+|–) \|", (REFERENCE / "errors.md").read_text("utf-8"), re.MULTILINE
    )
    if row and row[1].strip() != "–":
        assert str(BY_CODE[code].status) in row[1]


def own_commands() -> dict[str, BaseCommand]:
    apps = {name: str(app) for name, app in get_commands().items()}
    return {name: load_command_class(app, name) for name, app in apps.items() if app.startswith(APPS)}


def test_every_command_is_documented_and_no_other() -> None:
    headings = re.findall(r"^### ([a-z_]+)", (REFERENCE / "commands.md").read_text("utf-8"), re.MULTILINE)
    assert set(headings) == own_commands().keys()


def test_every_option_of_a_command_is_documented() -> None:
    text = (REFERENCE / "commands.md").read_text("utf-8")
    usual = options_of(BaseCommand())
    own = {option for command in own_commands().values() for option in options_of(command) - usual}
    assert "--json" in own
    assert [option for option in sorted(own) if option not in text] == []


def options_of(command: BaseCommand) -> set[str]:
    usage = command.create_parser("manage.py", "command").format_help()
    return set(re.findall(r"--[a-z-]+", usage))


def test_every_system_check_is_documented_and_no_other() -> None:
    sources = [file.read_text("utf-8") for app in APPS[:4] for file in (ROOT / app).rglob("*.py")]
    ids = {name for source in sources for name in re.findall(r'"(steward\.[EW]\d+)"', source)}
    assert {cell.strip("`") for cell in first_cells("checks.md") if cell.startswith("`")} == ids


def test_every_make_target_is_documented() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    text = (REFERENCE / "commands.md").read_text("utf-8")
    assert [target for target in targets if target != "help" and f"`make {target}`" not in text] == []


def test_every_option_of_a_tool_is_documented() -> None:
    options = {*inspect.signature(define).parameters, *inspect.signature(ToolDefinition).parameters}
    assert options - {"function", "permissions", "options"} - documented("tools.md") == set()


def test_every_endpoint_is_documented_and_no_other() -> None:
    cells = [cell.strip("`").split(" ") for cell in first_cells("http.md")]
    shown = {(cell[0], cell[1]) for cell in cells if len(cell) == 2 and cell[1].startswith("/api/")}
    assert shown == operations() | {("GET", "/api/docs")}


def test_every_parameter_of_an_endpoint_is_documented() -> None:
    lines = (REFERENCE / "http.md").read_text("utf-8").split("\n")
    rows = {tuple(line.split("`")[1].split(" ")): line for line in lines if line.startswith("| `") and "/api/" in line}
    missing = [
        (method, path, parameter["name"])
        for path, methods in description()["paths"].items()
        for method, operation in methods.items()
        for parameter in operation.get("parameters", [])
        if parameter["in"] == "query" and f"`{parameter['name']}`" not in rows[method.upper(), path]
    ]
    # The stream's is the subject of a paragraph.
    assert missing == [("get", "/api/agent/runs/{run_id}/events", "after_sequence")]


def test_every_field_of_a_new_run_is_documented() -> None:
    named = {name for cell in first_cells("http.md") for name in re.findall(r"`([a-z_]+)`", cell)}
    assert RunRequest.model_fields.keys() - named == set()


def test_every_frame_of_the_socket_is_documented_and_no_other() -> None:
    commands = {kind.__name__.lower() for kind in Frame.__subclasses__() if kind not in {Refused, Notice}}
    sources = [ROOT / "conversations" / name for name in ("consumer.py", "frames.py", "notices.py")]
    told = {name for path in sources for name in re.findall(r'"type": "(\w+)"', path.read_text("utf-8"))}
    assert told == {"accepted", "event", "conversation", "error", "pong"}
    assert documented("websocket.md") == commands | told


def test_the_documented_frames_are_understood() -> None:
    text = (REFERENCE / "websocket.md").read_text("utf-8")
    frames = [parse(line) for line in re.findall(r"^\{.*\}$", text, re.MULTILINE)]
    assert {type(frame) for frame in frames} == set(Frame.__subclasses__()) - {Refused, Notice}


def documents() -> list[Path]:
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def broken_links(page: Path) -> Iterator[str]:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if "://" not in target and not (page.parent / target).exists():
            yield target


@pytest.mark.parametrize("page", documents(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_document_leads_somewhere(page: Path) -> None:
    assert list(broken_links(page)) == []


@pytest.mark.parametrize("page", documents(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_file_that_a_document_names_exists(page: Path) -> None:
    named = OUR_FILES.findall(page.read_text("utf-8"))
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_vendored_files_are_those_that_were_published() -> None:
    text = (ROOT / "static" / "vendor" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"\| `([\w/.]+)`[^|]*\| `([0-9a-f]{64})` \|", text)
    digests = {name: hashlib.sha256((ROOT / "static" / "vendor" / name).read_bytes()).hexdigest() for name, _ in rows}
    assert len(rows) >= 2
    assert digests == dict(rows)


def test_the_service_of_the_deployment_starts_without_the_folder_that_only_sqlite_makes() -> None:
    page = (ROOT / "docs" / "howto" / "deploy.md").read_text(encoding="utf-8")
    # systemd ends with 226 where a path that has no "-" is missing.
    assert re.findall(r"^ReadWritePaths=(.*)$", page, re.MULTILINE) == ["-/srv/steward/app/var"]


def test_every_field_of_a_profile_is_documented_with_its_values() -> None:
    rows = [line.split("|") for line in (REFERENCE / "profiles.md").read_text("utf-8").split("\n") if "|" in line]
    values = {row[1].strip(" `"): row[2] for row in rows}
    assert ModelProfile.__dataclass_fields__.keys() - values.keys() == set()
    for name, kind in (("tool_mode", ToolMode), ("replay_reasoning", Replay), ("schema_dialect", SchemaDialect)):
        assert re.findall(r"`(\w+)`", values[name]) == list(kind)
