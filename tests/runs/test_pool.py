"""The border to the database: the caller's language crosses it, and its context does not."""

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
