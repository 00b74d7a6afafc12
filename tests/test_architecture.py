"""The house keeps its laws, and each law notices a house that breaks it."""

import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from tests import architecture

ROOT = Path(__file__).resolve().parent.parent
ABOVE_THE_KERNEL = ("django.db", "rest_framework", "channels")

KERNEL_PROBE = """
import importlib, sys
for name in sys.argv[1].split(","):
    importlib.import_module(name)
print(" ".join(name for name in sys.argv[2].split(",") if name in sys.modules))
"""


@pytest.mark.parametrize("law", architecture.LAWS, ids=lambda law: law.__name__)
def test_the_house_keeps(law: Callable[[Path], list[str]]) -> None:
    assert law(ROOT) == []


def impurities(root: Path) -> str:
    """What of ``ABOVE_THE_KERNEL`` a fresh process has loaded once it imported the kernel of ``root``."""
    modules = ",".join(architecture.kernel_modules(root))
    command = [sys.executable, "-c", KERNEL_PROBE, modules, ",".join(ABOVE_THE_KERNEL)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_kernel_loads_without_database_rest_or_channels() -> None:
    assert "agentcore.messages" in architecture.kernel_modules(ROOT)
    assert impurities(ROOT) == ""


def test_an_impure_kernel_is_noticed(tmp_path: Path) -> None:
    house(tmp_path, {"agentcore/__init__.py": "", "agentcore/text.py": "import django.db\n"})
    assert impurities(tmp_path) == "django.db"


@pytest.mark.django_db
def test_the_models_have_their_migrations() -> None:
    call_command("makemigrations", "--check", "--dry-run", stdout=StringIO())


def house(root: Path, files: dict[str, str]) -> Path:
    """``root`` as a source tree of ``files``: text by path."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


@pytest.mark.parametrize(
    ("law", "path", "text"),
    [
        (architecture.relative_imports, "agentcore/agents/loop.py", "from ..models import Run\n"),
        (architecture.relative_imports, "toolsapp/x.py", "from . import registry\n"),
        (architecture.broken_imports, "agentcore/runs/engine.py", "from governance.models import Turn\n"),
        (architecture.broken_imports, "conversations/store.py", "import toolsapp\n"),
        (architecture.broken_imports, "toolsapp/x.py", "if TYPE_CHECKING:\n    from conversations import models\n"),
        (architecture.broken_imports, "governance/views.py", "def view():\n    import conversations.store\n"),
        (architecture.broken_imports, "examples/travel/apps.py", "from config import settings\n"),
        (architecture.broken_imports, "governance/x.py", "from examples.travel import models\n"),
        (architecture.broken_floors, "agentcore/messages.py", "from agentcore.tools import Tool\n"),
        (architecture.broken_floors, "agentcore/providers/http.py", "from agentcore import gateway\n"),
        (architecture.broken_floors, "agentcore/agents/loop.py", "from agentcore.models import Run\n"),
        (architecture.crossings_outside_bridges, "agentcore/runs/x.py", "aopen = in_pool(open)\n"),
        (architecture.crossings_outside_bridges, "governance/x.py", "pool.in_writer(write)\n"),
        (architecture.crossings_outside_bridges, "conversations/x.py", "ahop = sync_to_async(hop)\n"),
        (architecture.crossings_outside_bridges, "toolsapp/x.py", "from asgiref.sync import sync_to_async as hop\n"),
        (architecture.crossings_outside_bridges, "governance/x.py", "async def f():\n    await Turn.objects.aget()\n"),
        (architecture.crossings_outside_bridges, "agentcore/runs/x.py", "async def f():\n    await to_thread(g)\n"),
        (architecture.long_crossings, "agentcore/bridge.py", "async def aopen():\n    return await in_pool(open)()\n"),
        (architecture.long_crossings, "agentcore/bridge.py", "aopen = in_pool(\n    open\n)\n"),
        (architecture.long_crossings, "toolsapp/bridge.py", "def open():\n    return 1\n"),
        (architecture.long_crossings, "toolsapp/bridge.py", "aopen = open\n"),
        (architecture.oversized_modules, "toolsapp/x.py", "a = 1\n\n" * 301),
        (architecture.oversized_modules, "static/conversations/drawer.js", "let a\n" * 250),
        (architecture.oversized_modules, "agentcore/static/agentcore/page.mjs", "let a\n" * 250),
        (architecture.hidden_imports, "toolsapp/x.py", "def run():\n    import json\n"),
        (architecture.hidden_imports, "tests/x.py", "async def run():\n    if 1:\n        from a import b\n"),
        (architecture.empty_names, "toolsapp/utils.py", ""),
        (architecture.empty_names, "toolsapp/common/text.py", ""),
        (architecture.random_names, "tests/x.py", "PATH = f'/api/{ids.uuid7()}'\n"),
        (architecture.random_names, "tests/x.py", "@parametrize('id', [uuid4()])\ndef test_x(id): ...\n"),
    ],
)
def test_a_broken_law_is_noticed(law: Callable[[Path], list[str]], path: str, text: str, tmp_path: Path) -> None:
    violations = law(house(tmp_path, {path: text}))
    assert len(violations) == 1
    assert path in violations[0]


def test_a_lawful_house_passes_every_law(tmp_path: Path) -> None:
    house(
        tmp_path,
        {
            "agentcore/tools.py": "from agentcore.messages import Message\nfrom django.apps import apps\n",
            "agentcore/bridge.py": '"""The border."""\n\nfrom agentcore.pool import in_pool\n\naopen = in_pool(open)\n',
            "agentcore/pool.py": "def in_pool(function): ...\n",
            "agentcore/runs/engine.py": "from agentcore.agents import loop\n",
            "conversations/apps.py": "class App:\n    def ready(self):\n        from conversations import checks\n",
            "config/asgi.py": "import conversations.routing\n",
            "examples/travel/agent_tools.py": "from toolsapp.registry import agent_tool\n",
            "toolsapp/x.py": "a = 1\n\n" * 300,
            "toolsapp/migrations/0001_x.py": "a = 1\n" * 400,
            "tests/x.py": "def test_x():\n    uuid7()\n",
            "static/vendor/marked.js": "let a\n" * 400,
        },
    )
    assert {law.__name__: law(tmp_path) for law in architecture.LAWS} == {law.__name__: [] for law in architecture.LAWS}
