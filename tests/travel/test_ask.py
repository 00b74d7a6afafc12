"""``manage.py ask``: a whole run in its own process, over the demo's data."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command, get_commands

from tests.site import ROOT, Site

SEARCH = '/tool search_flights {"origin": "Shanghai", "destination": "东京", "date": "tomorrow"}'


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ask") / "site.sqlite3"


@pytest.fixture(scope="module")
def site(database: Path) -> Site:
    return Site(f"sqlite:///{database}").prepare()


@pytest.fixture
def rows(site: Site, database: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(database)
    yield connection
    connection.close()


def started(database: Path, *arguments: str) -> "subprocess.Popen[bytes]":
    """``ask`` under way."""
    return subprocess.Popen(
        [sys.executable, "manage.py", "ask", *arguments],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": f"sqlite:///{database}", "PYTHONUNBUFFERED": "1"},
        bufsize=0,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def last_run(rows: sqlite3.Connection) -> tuple[str, str, str]:
    """Status, cancel reason and output of the newest run."""
    found = rows.execute("select status, cancel_reason, output from agentcore_run order by created_at desc limit 1")
    run: tuple[str, str, str] = found.fetchone()
    return run


def test_ask_writes_the_answer_alone_and_goes_on_with_a_conversation(site, rows):
    first = site.manage("ask", "one")
    assert (first.returncode, first.stdout) == (0, "You said: one\n")
    assert first.stderr.startswith("To go on: --conversation ")
    option, conversation = first.stderr.removeprefix("To go on: ").split()
    second = site.manage("ask", "two", option, conversation)
    assert (second.returncode, second.stdout) == (0, "You said: two\n")
    asked = rows.execute("select count(distinct conversation_id), count(*) from agentcore_run")
    assert asked.fetchone() == (1, 2)


def test_ask_with_json_writes_an_envelope_a_line_and_tools_beside_it(site):
    done = site.manage("ask", "--json", SEARCH, "--agent", "assistant")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["sequence"] for event in events] == list(range(len(events)))
    assert (events[0]["type"], events[-1]["type"]) == ("RunStarted", "RunCompleted")
    assert {"run_id", "sequence", "type", "created_at", "data"} == set(events[0])
    assert events[-1]["data"]["output"].startswith('search_flights returned: {"date":')
    assert "> search_flights Flights from Shanghai to 东京 (tomorrow)\n" in done.stderr
    assert "< search_flights done: " in done.stderr
    assert "\nTo go on: --conversation " in done.stderr


def test_ask_that_fails_keeps_the_partial_answer_and_exits_1(site, rows):
    done = site.manage("ask", "--provider", "mock", "--model", "mock-1", "/stream 3\n/fail PROVIDER_UNAVAILABLE 3")
    assert done.returncode == 1
    assert "PROVIDER_UNAVAILABLE" in done.stderr
    assert "PROVIDER_UNAVAILABLE" not in done.stdout
    assert last_run(rows)[0] == "failed"


def test_ctrl_c_stops_the_run_as_cancelled(site, database, rows):
    process = started(database, "/stream 5000 10")
    # The first words come while the run goes on.
    begun = process.stdout.read(6)
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=20)
    assert process.returncode == 1, errors
    status, reason, output = last_run(rows)
    assert (status, reason) == ("cancelled", "user")
    assert (begun + rest).decode() == f"{output}\n"
    assert output.startswith("w1 ")
    assert b"Traceback" not in errors


def test_reader_that_leaves_stops_the_run(site, database, rows):
    process = started(database, "/stream 5000 10")
    process.stdout.read(6)
    process.stdout.close()
    process.stdout = None
    _rest, errors = process.communicate(timeout=20)
    assert process.returncode == 1
    assert b"Traceback" not in errors
    assert last_run(rows)[:2] == ("cancelled", "user")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["hello", "--user", "nobody"], "nobody"),
        (["hello"], "manage.py demo"),
        (["   ", "--user", "ann"], "VALIDATION_ERROR"),
        (["hello", "--user", "ann", "--conversation", "no-id"], "conversation_id"),
        (["hello", "--user", "ann", "--agent", "no-agent"], "NOT_FOUND"),
        (["hello", "--yes", "--no"], "not allowed"),
        (["x" * 32001, "--user", "ann"], "PAYLOAD_TOO_LARGE"),
        ([], "text"),
    ],
)
def test_what_cannot_be_asked_is_a_matter_of_usage(arguments, said, capsys):
    get_user_model().objects.create_user("ann")
    with pytest.raises(CommandError) as caught:
        call_command("ask", *arguments)
    assert said in str(caught.value)
    # A parser's own refusal exits with 2 by itself when it comes from the command line.
    assert caught.value.returncode == 2 or not arguments or "--no" in arguments
    assert capsys.readouterr().out == ""


@pytest.mark.django_db
def test_a_site_without_the_demo_says_how_to_name_a_user(settings):
    settings.INSTALLED_APPS = [app for app in settings.INSTALLED_APPS if app != "examples.travel"]
    get_commands.cache_clear()
    try:
        with pytest.raises(CommandError, match="--user NAME") as caught:
            call_command("ask", "hello")
    finally:
        get_commands.cache_clear()
    assert caught.value.returncode == 2
    assert "manage.py demo" not in str(caught.value)


@pytest.mark.parametrize("command", [["ask", "hello"], ["demo"], ["first_agent"]])
def test_a_database_that_is_not_migrated_is_said_in_words(tmp_path, command):
    done = Site(f"sqlite:///{tmp_path / 'new.sqlite3'}").manage(*command)
    assert (done.returncode, done.stdout) == (1, "")
    assert "manage.py migrate" in done.stderr
    assert "Traceback" not in done.stderr


def test_wrong_options_exit_2(site):
    done = site.manage("ask", "hello", "--nonsense")
    assert (done.returncode, done.stdout) == (2, "")
