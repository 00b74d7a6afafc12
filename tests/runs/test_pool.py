"""The border to the database: the caller's language crosses it, and its context does not."""

import subprocess
import sys

import pytest
from django.utils import translation
from django.utils.translation import get_language

from agentcore.pool import in_pool, in_writer

pytestmark = pytest.mark.django_db(transaction=True)


async def test_thread_speaks_the_language_of_its_caller() -> None:
    with translation.override("zh-hans"):
        spoken = [await in_pool(get_language)(), await in_writer(get_language)()]

    assert spoken == ["zh-hans", "zh-hans"]
    assert await in_pool(get_language)() == get_language()


HANGING = """
import time, django
django.setup()
from agentcore.pool import in_background
for _ in range(5):
    in_background(lambda: time.sleep(600))
"""


def test_the_end_of_a_process_does_not_wait_for_what_is_done_in_the_background() -> None:
    ended = subprocess.run([sys.executable, "-c", HANGING], capture_output=True, text=True, timeout=60, check=False)

    assert (ended.returncode, ended.stderr) == (0, "")
