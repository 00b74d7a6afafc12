"""``make run`` begins well: what is installed is mended, a start is quick, and what is wrong is said clearly."""

import ast
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from scripts import bootstrap, environment
from scripts import next as next_pair
from scripts.ports import port_of, require_free
from tests.site import ROOT, free_port

PROJECT = """
[project]
dependencies = ["tiny @ file://{wheel}"]
[project.optional-dependencies]
test = ["tiny-test"]
lint = ["tiny-lint"]
"""


class Machine:
    """Stands for what an installation starts: ``python -m venv`` and pip. ``fails`` is raised by the next pip."""

    def __init__(self, root: Path) -> None:
        self.root, self.calls = root, []
        self.fails: BaseException | None = None

    def run(self, command: list[object], **options: object) -> "subprocess.CompletedProcess[str]":
        words = [str(word) for word in command]
        if not Path(words[0]).exists():
            raise FileNotFoundError(words[0])
        if "venv" in words:
            self.calls.append("venv")
            self.python.parent.mkdir(parents=True, exist_ok=True)
            self.python.touch()
        elif "pip" in words:
            self.calls.append("pip")
            if self.fails:
                error, self.fails = self.fails, None
                raise error
        version = f"{sys.version_info[0]} {sys.version_info[1]}"
        return subprocess.CompletedProcess(words, 0, stdout=version, stderr="")

    @property
    def python(self) -> Path:
        return self.root / ".venv" / "bin" / "python"

    def did(self) -> list[str]:
        """What was started since the last look."""
        calls, self.calls = self.calls, []
        return calls


def place(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let it work on ``root``, a project without a clone."""
    (root / "pyproject.toml").write_text(PROJECT.format(wheel=root / "tiny-1-py3-none-any.whl"))
    (root / "constraints.txt").write_text("")
    venv = root / ".venv"
    names = {"ROOT": root, "VENV": venv, "VENV_PYTHON": venv / "bin" / "python", "STAMP": venv / environment.STAMP.name}
    var = {"MARKER": root / "var" / "installing", "LOCK": root / "var" / "lock", "VERSIONS": None}
    for name, value in {**names, **var}.items():
        monkeypatch.setattr(environment, name, value)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    place(tmp_path, monkeypatch)
    machine = Machine(tmp_path)
    monkeypatch.setattr(environment.subprocess, "run", machine.run)
    return machine


def test_a_second_start_installs_nothing(machine: Machine) -> None:
    environment.main([])
    assert machine.did() == ["venv", "pip"]
    environment.main([])
    assert machine.did() == []


def test_an_interrupted_installation_is_made_anew(machine: Machine) -> None:
    machine.fails = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        environment.main([])
    machine.did()
    environment.main([])
    assert machine.did() == ["venv", "pip"]


def test_another_extra_is_added_and_kept(machine: Machine) -> None:
    environment.main([])
    machine.did()
    environment.main(["test"])
    assert machine.did() == ["pip"]
    environment.main([])
    environment.main(["test"])
    assert machine.did() == []


def test_a_new_lock_is_installed(machine: Machine) -> None:
    environment.main([])
    machine.did()
    (machine.root / "constraints.txt").write_text("tiny==2\n")
    environment.main([])
    assert machine.did() == ["pip"]


def test_a_version_of_its_own_takes_the_place_of_the_locked_one(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    (machine.root / "constraints.txt").write_text("Tiny==2\nother==1\n")
    environment.main([])
    machine.did()
    (machine.root / "newer.txt").write_text("tiny==3\n")
    monkeypatch.setattr(environment, "VERSIONS", "newer.txt")
    environment.main([])
    assert machine.did() == ["pip"]
    assert environment.constraints() == ["other==1", "tiny==3"]


def test_a_venv_that_lost_its_interpreter_is_made_anew(machine: Machine) -> None:
    environment.main([])
    machine.did()
    machine.python.unlink()
    environment.main([])
    assert machine.did() == ["venv", "pip"]


def test_every_python_can_read_what_looks_for_a_newer_one() -> None:
    # The oldest grammar that ast knows; a formatted string or a star in a list fails here.
    tree = ast.parse(Path(bootstrap.__file__).read_text("utf-8"), feature_version=(3, 4))
    kinds = {type(node) for node in ast.walk(tree)}
    assert not kinds & {ast.JoinedStr, ast.Starred, ast.AnnAssign, ast.Nonlocal}
    assert [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.args.kwonlyargs] == []


@pytest.fixture
def handed_to(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What bootstrap hands over to, in place of doing it."""
    words: list[list[str]] = []
    monkeypatch.setattr(bootstrap.os, "execvp", lambda _name, command: words.append(command))
    return words


def test_a_new_enough_python_makes_the_environment_itself(handed_to: list[list[str]]) -> None:
    bootstrap.main(["test"])
    assert handed_to == [[sys.executable, environment.__file__, "test"]]


def test_too_old_a_python_is_told_what_to_do(handed_to: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "OLDEST", (9, 0))
    monkeypatch.setattr(bootstrap, "newer_python", lambda: None)
    with pytest.raises(SystemExit, match=r"needs Python 9.0 or newer(?s:.*)PYTHON="):
        bootstrap.main([])
    assert handed_to == []


def test_too_old_a_python_goes_on_with_a_newer_one_that_works(
    handed_to: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interpreter(tmp_path / "python9.1", 127)
    interpreter(tmp_path / "python9.0", 0)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(bootstrap, "OLDEST", (9, 0))
    monkeypatch.setattr(bootstrap, "NEWEST", (9, 1))
    bootstrap.main([])
    assert handed_to[0][0] == "python9.0"


def test_a_real_venv_is_made_and_a_half_made_one_is_mended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place(tmp_path, monkeypatch)
    with zipfile.ZipFile(tmp_path / "tiny-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny.py", "")
        wheel.writestr("tiny-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1\n")
        wheel.writestr("tiny-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("tiny-1.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(tmp_path / "gone")
    environment.main([])
    assert subprocess.run([environment.VENV_PYTHON, "-c", "import tiny"], check=False).returncode == 0


def interpreter(place: Path, code: int) -> Path:
    """What stands for a Python that ends with ``code``."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"#!/bin/sh\nexit {code}\n")
    place.chmod(0o755)
    return place


@pytest.fixture
def empty_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without the newest Python."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    return tmp_path


def test_the_newest_python_is_one_that_runs(empty_machine: Path) -> None:
    interpreter(empty_machine / "bin" / next_pair.PYTHON, 127)
    assert next_pair.interpreter() is None
    real = interpreter(empty_machine / "pyenv" / "versions" / "3.13.0" / "bin" / next_pair.PYTHON, 0)
    assert next_pair.interpreter() == str(real)


@pytest.mark.parametrize(("ci", "code"), [("true", 1), ("", 0)])
@pytest.mark.usefixtures("empty_machine")
def test_a_missing_newest_python_fails_in_ci_and_is_else_skipped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], ci: str, code: int
) -> None:
    monkeypatch.setenv("CI", ci)
    assert next_pair.main([]) == code
    assert f"{next_pair.PYTHON} is not installed" in capsys.readouterr().out


def test_a_port_is_checked() -> None:
    assert port_of("8000", "PORT") == 8000
    for text in ("", "0", "65536", "http"):
        with pytest.raises(SystemExit, match="is no port"):
            port_of(text, "PORT")


Serve = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts the site as ``make run`` does, on a database of this test."""
    started: list[subprocess.Popen[str]] = []

    def start(port: int, **environment: str) -> "subprocess.Popen[str]":
        own = {"PORT": str(port), "DATABASE_URL": f"sqlite:///{tmp_path / 'site.sqlite3'}", "STEWARD_DEMO_PASSWORD": ""}
        process = subprocess.Popen(
            [sys.executable, "-m", "scripts.serve"],
            cwd=ROOT,
            env=os.environ | own | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def page(port: int) -> httpx.Response:
    """The first page, as soon as it is served."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            return httpx.get(f"http://127.0.0.1:{port}/", follow_redirects=True)
        except httpx.TransportError:
            time.sleep(0.05)
    raise AssertionError("Nothing was served.")


def stopped(process: "subprocess.Popen[str]") -> str:
    """What the site printed, when Ctrl-C has ended it."""
    process.send_signal(signal.SIGINT)
    return process.communicate(timeout=20)[0]


def test_a_start_serves_the_demo_and_the_next_one_is_quick(serve: Serve) -> None:
    port = free_port()
    first = serve(port)
    assert page(port).status_code == 200
    printed = stopped(first)
    assert f"http://127.0.0.1:{port}" in printed
    assert all(f"user {name}" in printed for name in ("demo", "operator", "admin"))
    assert printed.count(" password ") >= 3
    assert "Traceback" not in printed

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    second = serve(port)
    assert page(port).status_code == 200
    assert "keeps its password" in stopped(second)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Processor time, since others work on this machine, too.
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 5


def test_a_taken_port_is_said_before_anything_else(serve: Serve) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        process = serve(port)
        printed, _ = process.communicate(timeout=60)
        assert process.returncode == 1
        assert printed.startswith(f"Port {port} is taken")
        assert "make run PORT=" in printed
        with pytest.raises(SystemExit, match="LLM_PORT="):
            require_free(port, "make local-llm LLM_PORT")


def settings_module(folder: Path, text: str) -> dict[str, str]:
    """The variables that make the site's settings with ``text`` the ones of a process."""
    (folder / "own_settings.py").write_text(f"from config.settings import *\n{text}\n")
    return {"PYTHONPATH": str(folder), "DJANGO_SETTINGS_MODULE": "own_settings"}


def test_a_wrong_setting_is_said_before_anything_is_migrated(serve: Serve, tmp_path: Path) -> None:
    process = serve(free_port(), **settings_module(tmp_path, "STEWARD = {'MAX_STEP': 3}"))
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "(steward.E001) STEWARD has no key MAX_STEP" in printed
    assert "Traceback" not in printed
    assert not (tmp_path / "site.sqlite3").exists()


@pytest.mark.parametrize("command", [["-m", "scripts.serve"], ["-m", "scripts.local_llm"], ["manage.py", "doctor"]])
def test_a_database_url_that_cannot_be_read_is_said_in_a_line(command: list[str]) -> None:
    own = {"DATABASE_URL": "nonsense", "PORT": str(free_port())}
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=os.environ | own, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("DATABASE_URL cannot be read")
    assert "Traceback" not in done.stderr


def test_without_debug_pages_and_their_styles_are_served(serve: Serve, tmp_path: Path) -> None:
    port = free_port()
    settings = settings_module(tmp_path, f"STATIC_ROOT = {str(tmp_path / 'static')!r}")
    process = serve(port, DEBUG="0", **settings)
    served = page(port)
    assert served.status_code == 200
    styles = re.findall(r'href="(/static/[^"]+[.]css)"', served.text)
    assert styles
    assert {httpx.get(f"http://127.0.0.1:{port}{path}").status_code for path in styles} == {200}
    printed = stopped(process)
    assert "ALLOWED_HOSTS" in printed
    assert "createsuperuser" in printed
    assert "user demo" not in printed


@pytest.mark.parametrize(
    "command", [["manage.py", "ask", "hello"], ["-m", "scripts.serve"], ["-m", "scripts.local_llm"]]
)
def test_an_interrupt_while_a_command_loads_is_quiet(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "django").mkdir()
    (tmp_path / "django" / "__init__.py").write_text("raise KeyboardInterrupt")
    own = {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=os.environ | own, capture_output=True, text=True, check=False
    )
    # What a shell sees is 130 both times.
    assert done.returncode in {130, -signal.SIGINT}
    assert (done.stdout, done.stderr) == ("", "")
