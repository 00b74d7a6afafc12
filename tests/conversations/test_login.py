"""A socket lives as long as the login that opened it."""

import asyncio

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.backends import ModelBackend
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agentcore.models import Run
from conversations import consumer, watch
from conversations.login import login_load, logins_ended
from conversations.watch import WATCH
from tests.conversations.conftest import Socket


def log_out(client, user):
    client.logout()


def deactivate(client, user):
    user.is_active = False
    user.save()


def change_password(client, user):
    user.set_password("another horse")
    user.save()


def delete_user(client, user):
    user.delete()


def expire(client, user):
    Session.objects.update(expire_date="2020-01-01T00:00Z")


ENDINGS = pytest.mark.parametrize("end", [log_out, deactivate, change_password, delete_user, expire])


@ENDINGS
async def test_no_command_is_carried_out_after_the_login_ended(alices, alice_client, alice, end):
    await alices.say(type="ping")
    await alices.told()
    await sync_to_async(end)(alice_client, alice)
    await alices.say(type="send", text="hello", send_id="late")
    assert await alices.close_code() == 4401
    assert await Run.objects.acount() == 0


@pytest.mark.parametrize(
    "frame",
    [{"type": "ping"}, {"type": "unsubscribe", "run_id": "01980000-0000-7000-8000-000000000000"}, {"type": "nonsense"}],
)
async def test_no_other_frame_is_answered_either(alices, alice_client, frame):
    await alices.say(type="ping")
    await alices.told()
    await sync_to_async(alice_client.logout)()
    await alices.say(**frame)
    assert await alices.close_code() == 4401


@ENDINGS
async def test_a_silent_socket_is_closed_by_the_watch(alices, alice_client, alice, end):
    await alices.say(type="ping")
    await alices.told()
    await sync_to_async(end)(alice_client, alice)
    await WATCH.look()
    assert await alices.close_code() == 4401


async def test_a_database_that_is_away_is_told_before_the_socket_closes(alice_client, process, monkeypatch):
    async def away(key):
        raise OSError("away")

    monkeypatch.setattr(consumer, "alogin_load", away)
    socket = await Socket(alice_client).opened()
    assert (await socket.told())["code"] == "INTERNAL_ERROR"
    assert await socket.close_code() == 1011


async def test_the_watch_looks_often_enough_by_itself(alice_client, alice, process, monkeypatch):
    assert watch.EVERY_S <= 4
    monkeypatch.setattr(watch, "EVERY_S", 0.05)
    socket = await Socket(alice_client).opened()
    await socket.say(type="ping")
    await socket.told()
    await sync_to_async(alice_client.logout)()
    assert await socket.close_code() == 4401
    await socket.disconnect()


async def test_the_watch_outlives_a_database_that_is_away(alice_client, alice, process, monkeypatch):
    asked = asyncio.Event()

    async def away(keys):
        asked.set()
        raise OSError("away")

    monkeypatch.setattr(watch, "EVERY_S", 0.01)
    with monkeypatch.context() as patch:
        patch.setattr(watch, "alogins_ended", away)
        socket = await Socket(alice_client).opened()
        await asyncio.wait_for(asked.wait(), 5)
    await sync_to_async(alice_client.logout)()
    assert await socket.close_code() == 4401
    await socket.disconnect()


async def test_a_stop_is_not_carried_out_either(alices, alice_client, process):
    await alices.say(type="send", text="/stream 5000 5", send_id="s")
    run_id = (await alices.told())["run_id"]
    await sync_to_async(alice_client.logout)()
    await alices.say(type="stop", run_id=run_id)
    while (message := await alices.receive_output(timeout=5))["type"] != "websocket.close":
        pass
    assert message["code"] == 4401
    run = await Run.objects.aget()
    assert (run.is_open, run.cancel_requested) == (True, "")
    process.engine.stop(run.id, "shutdown")


async def test_a_cookie_that_nobody_gave_out_is_no_login(process):
    socket = Socket(None, (b"cookie", b"sessionid=abcdefghijklmnopqrstuvwxyz012345"))
    await socket.connect()
    assert await socket.close_code() == 4401


def test_an_inactive_user_has_no_login_whatever_the_backend_says(alice, settings):
    settings.AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.AllowAllUsersModelBackend"]
    client = Client()
    client.force_login(alice)
    key = client.cookies["sessionid"].value
    assert login_load(key) == alice
    deactivate(client, alice)
    assert login_load(key) is None


def test_checking_a_login_costs_two_queries_and_writes_nothing(alice_client, alice):
    key = alice_client.cookies["sessionid"].value
    with CaptureQueriesContext(connection) as queries:
        assert login_load(key) == alice
    assert [query["sql"].split()[0] for query in queries.captured_queries] == ["SELECT", "SELECT"]


def _key(user):
    client = Client()
    client.force_login(user)
    return client.cookies["sessionid"].value


@pytest.mark.parametrize("number", [1, 20])
def test_checking_all_logins_costs_two_queries_whatever_their_number(django_user_model, transactional_db, number):
    keys = {_key(django_user_model.objects.create_user(f"user{n}")) for n in range(number)}
    with CaptureQueriesContext(connection) as queries:
        assert logins_ended(keys) == set()
    assert len(queries) == 2


@ENDINGS
def test_the_logins_that_ended_are_told_from_the_others(alice, bob, alice_client, settings, end):
    others = {_key(bob), _key(bob)}
    key = alice_client.cookies["sessionid"].value
    assert logins_ended({key, *others}) == set()
    end(alice_client, alice)
    if end is expire:
        others = set()
    assert logins_ended({key, "nonsense", "", *others}) == {key, "nonsense", ""}


def test_a_backend_of_the_site_is_asked_for_its_users(alice, settings, monkeypatch):
    settings.AUTHENTICATION_BACKENDS = ["tests.conversations.test_login.NobodyAnyMore"]
    client = Client()
    client.force_login(alice, backend=settings.AUTHENTICATION_BACKENDS[0])
    key = client.cookies["sessionid"].value
    assert logins_ended({key}) == {key}


@pytest.mark.parametrize("engine", ["cached_db", "cache", "signed_cookies"])
def test_other_session_stores_are_asked_too(alice, settings, engine):
    settings.SESSION_ENGINE = f"django.contrib.sessions.backends.{engine}"
    key = _key(alice)
    assert logins_ended({key, "nonsense"}) == {"nonsense"}
    deactivate(None, alice)
    assert logins_ended({key}) == {key}


class NobodyAnyMore(ModelBackend):
    """A site's backend that knows better than the users' table."""

    def get_user(self, user_id):
        return None
