"""Names and codes of a record on the pages: in the reader's words, and the API's as they are."""

import pytest
from django.utils import translation

from governance.pages.labels import NAMES, labelled
from governance.pages.withholding import PLAIN, Fact, facts_of


@pytest.mark.parametrize(
    ("name", "code", "shown"),
    [
        ("status", "completed", ("状态", "已完成")),
        ("status", "unknown", ("状态", "未知")),
        ("decision", "deny", ("决定", "已拒绝")),
        ("finish_reason", "stop", ("结束原因", "正常结束")),
        ("reason", "superseded", ("原因", "更新的消息")),
        ("a name of tomorrow", "stop", ("a name of tomorrow", "stop")),
    ],
)
def test_a_fact_is_in_the_readers_words(name: str, code: str, shown: tuple[str, str]) -> None:
    with translation.override("zh-hans"):
        [fact] = labelled([Fact(name=name, text=code)])

    assert (fact.name, fact.text) == shown


def test_what_is_withheld_stays_withheld() -> None:
    with translation.override("zh-hans"):
        [fact] = labelled(facts_of({"input": "canary"}, may_read=False))

    assert fact == Fact(name="输入", length=6)


def test_every_name_that_anybody_may_read_has_words() -> None:
    assert PLAIN - NAMES.keys() == set()
