"""Who gets what: every address of the site and every command of the socket, for every kind of person.

The rows come from the URL resolver, the OpenAPI description and the socket's frames: one that is not in the tables
below fails, and so does a row of something that is gone.
"""

import re
from typing import Any

import pytest
import pytest_asyncio
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.test import AsyncClient, Client

from agentcore.models import ApiToken, Credential, Provider
from agentcore.pool import in_pool
from agentcore.runs.requests import RunRequest
from agentcore.runs.runtime import Runtime
from agentcore.runs.service import start_run
from conversations.frames import Frame, Notice, Refused
from conversations.models import Message
from examples.travel.services.demo import demo_load
from tests.api.description import operations
from tests.conversations.conftest import Socket
from tests.routes import routes

# The owner of the run and the conversation, another plain user, staff without a permission, the demo's operator and
# superuser.
ROLES = ("anonymous", "owner", "other", "staff", "operator", "admin")

# Without a body, but for FEEDBACK: a 400 is beyond the question who may ask.
API = """
GET    /api/schema                                                                  200 200 200 200 200 200
GET    /api/agents                                                                  401 200 200 200 200 200
GET    /api/models                                                                  401 200 200 200 200 200
GET    /api/tools                                                                   401 200 200 200 200 200
POST   /api/agent/runs                                                              401 400 400 400 400 400
GET    /api/agent/runs/{run_id}                                                     401 200 404 404 404 404
GET    /api/agent/runs/{run_id}/events                                              401 200 404 404 404 404
GET    /api/agent/runs/{run_id}/trace                                               401 200 404 404 404 404
POST   /api/agent/runs/{run_id}/cancel                                              401 200 404 404 404 404
GET    /api/conversations                                                           401 200 200 200 200 200
POST   /api/conversations                                                           401 201 201 201 201 201
GET    /api/conversations/{conversation_id}                                         401 200 404 404 404 404
PATCH  /api/conversations/{conversation_id}                                         401 200 404 404 404 404
GET    /api/conversations/{conversation_id}/messages                                401 200 404 404 404 404
POST   /api/conversations/{conversation_id}/messages/{message_id}/feedback          401 200 404 404 404 404
GET    /api/governance/turns                                                        401 403 403 403 200 200
GET    /api/governance/audit                                                        401 403 403 403 200 200
GET    /api/governance/cost                                                         401 403 403 403 200 200
POST   /api/chat                                                                    401 403 403 403 403 400
GET    /api/providers                                                               401 403 403 403 403 200
POST   /api/providers                                                               401 403 403 403 403 400
GET    /api/providers/presets                                                       401 403 403 403 403 200
POST   /api/providers/test                                                          401 403 403 403 403 400
GET    /api/providers/{provider_id}                                                 401 403 403 403 403 200
PATCH  /api/providers/{provider_id}                                                 401 403 403 403 403 200
GET    /api/providers/{provider_id}/models                                          401 403 403 403 403 200
GET    /api/credentials/{credential_id}                                             401 403 403 403 403 200
PUT    /api/credentials/{credential_id}                                             401 403 403 403 403 400
DELETE /api/conversations/{conversation_id}                                         401 204 404 404 404 404
DELETE /api/providers/{provider_id}                                                 401 403 403 403 403 204
DELETE /api/credentials/{credential_id}                                             401 403 403 403 403 204
"""

# 302 leads to the login, or from it when somebody is logged in already, or from an action to its outcome.
PAGES = """
GET  /                                                 200 200 200 200 200 200
GET  /agent/                                           302 200 200 200 200 200
GET  /accounts/login/                                  200 302 302 302 302 302
GET  /accounts/logout/                                 405 405 405 405 405 405
GET  /i18n/setlang/                                    302 302 302 302 302 302
GET  /api                                               404 404 404 404 404 404
GET  /api/docs                                         200 200 200 200 200 200
GET  /api/{rest}                                       404 404 404 404 404 404
GET  /governance/turns/                                302 403 403 403 200 200
GET  /governance/turns/export.csv                      302 403 403 403 403 200
GET  /governance/turns/{run_id}/                       302 403 403 403 200 200
GET  /governance/audit/                                302 403 403 403 200 200
GET  /governance/cost/                                 302 403 403 403 200 200
GET  /admin/                                           302 302 302 200 200 200
GET  /admin/login/                                     200 200 200 302 302 302
GET  /admin/logout/                                    302 302 302 405 405 405
GET  /admin/password_change/                           302 302 302 200 200 200
GET  /admin/password_change/done/                      302 302 302 200 200 200
GET  /admin/autocomplete/                              302 302 302 403 403 403
GET  /admin/jsi18n/                                    302 302 302 200 200 200
GET  /admin/r/{content_type_id}/{object_id}/           302 302 302 404 404 404
GET  /admin/{app_label}/                               302 302 302 404 200 200
GET  /admin/{url}                                      302 302 302 404 404 404
GET  /admin/auth/user/{id}/password/                   302 302 302 403 403 200
GET  /admin/agentcore/credential/{object_id}/replace/  302 302 302 403 403 200
GET  /admin/agentcore/agentprofile/dry-run/            302 302 302 403 403 200
POST /admin/agentcore/provider/{object_id}/ask/        302 302 302 403 403 302
POST /admin/agentcore/provider/{object_id}/reset/      302 302 302 403 403 404
"""

# Of every model in the admin. "view": 200 for who holds that permission, else 403; "write": nobody where the rows are
# records. An object that is not there is 302, back to the index.
ADMIN = """
/admin/{app}/{model}/                      302 302 302 403 view 200
/admin/{app}/{model}/add/                  302 302 302 403 403 write
/admin/{app}/{model}/{object_id}/          302 302 302 302 302 302
/admin/{app}/{model}/{object_id}/change/   302 302 302 403 view 200
/admin/{app}/{model}/{object_id}/delete/   302 302 302 403 403 write
/admin/{app}/{model}/{object_id}/history/  302 302 302 403 view 200
"""
RECORDS = {"agentcore.run", "governance.turn", "governance.modelcall", "governance.auditevent"}
# Nobody makes a conversation for another, but an admin may have to delete one.
NOT_ADDED = RECORDS | {"conversations.conversation"}

# What comes back first: an error's code, the type of a frame, or the code that the socket is closed with. "pong" is
# the answer to a ping that was sent after a command without an answer.
SOCKET = """
send         4401 accepted  NOT_FOUND NOT_FOUND NOT_FOUND NOT_FOUND
stop         4401 pong      NOT_FOUND NOT_FOUND NOT_FOUND NOT_FOUND
permission   4401 NOT_FOUND NOT_FOUND NOT_FOUND NOT_FOUND NOT_FOUND
subscribe    4401 event     NOT_FOUND NOT_FOUND NOT_FOUND NOT_FOUND
unsubscribe  4401 pong      pong      pong      pong      pong
ping         4401 pong      pong      pong      pong      pong
"""

FEEDBACK = "/api/conversations/{conversation_id}/messages/{message_id}/feedback"


def table(text: str, width: int) -> dict[tuple[str, ...], dict[str, str]]:
    """Rows by their first ``width`` cells; the others by role."""
    rows = [line.split() for line in text.strip().split("\n")]
    return {tuple(row[:width]): dict(zip(ROLES, row[width:], strict=True)) for row in rows}


ADMIN_ROWS = {path: cells for (path,), cells in table(ADMIN, 1).items()}
SOCKET_ROWS = {command: cells for (command,), cells in table(SOCKET, 1).items()}
# In this order: what is deleted at the end is asked for before.
ROWS = {**table(PAGES, 2), **table(API, 2)}


def plain(path: str) -> str:
    """A path of the admin's own regular expressions written like the others."""
    return re.sub(r"\^?\(\?P\{(\w+)\}.*\)", r"{\1}", path).replace("/$", "/").replace("$", "")


def paths() -> set[str]:
    return {plain(route.path) for route in routes()}


def model_of(path: str) -> Any | None:
    """The model of the admin that ``path`` is a page of."""
    prefix = re.match(r"/admin/\w+/\w+/", path)
    models = {f"/admin/{model._meta.app_label}/{model._meta.model_name}/": model for model in admin.site._registry}
    return models.get(prefix[0]) if prefix else None


def kind_of(path: str) -> str:
    """A path of the admin without its model: a row of ``ADMIN``, when it is one of the usual pages."""
    return re.sub(r"^/admin/\w+/\w+/", "/admin/{app}/{model}/", path)


def cell(method: str, path: str, role: str, user: Any) -> int:
    """The status that the tables promise."""
    if (method, path) in ROWS:
        return int(ROWS[method, path][role])
    model: Any = model_of(path)
    text = ADMIN_ROWS[kind_of(path)][role]
    if text == "view":
        return 200 if user.has_perm(f"{model._meta.app_label}.view_{model._meta.model_name}") else 403
    if text == "write":
        return 403 if model._meta.label_lower in (NOT_ADDED if path.endswith("/add/") else RECORDS) else 200
    return int(text)


def test_every_address_has_a_row_and_every_row_an_address() -> None:
    known = {path for _method, path in ROWS}
    assert {path for path in paths() - known if not (model_of(path) and kind_of(path) in ADMIN_ROWS)} == set()
    assert known - paths() == set()


def test_every_operation_of_the_api_has_a_row_and_no_other() -> None:
    assert table(API, 2).keys() == operations()


def test_every_command_of_the_socket_has_a_row_and_no_other() -> None:
    commands = {kind.__name__.lower() for kind in Frame.__subclasses__() if kind not in {Refused, Notice}}
    assert commands == SOCKET_ROWS.keys()


def populated() -> dict[str, Any]:
    """The demo, its people by role, and a row of what no turn makes."""
    demo_load()
    users = get_user_model()._default_manager
    people = {"owner": "demo", "operator": "operator", "admin": "admin"}
    found = {role: users.get(username=name) for role, name in people.items()}
    found |= {"other": users.create(username="other"), "staff": users.create(username="staff", is_staff=True)}
    Group.objects.create(name="group")
    Credential.objects.create(slug="key", token=b"")
    Provider.objects.create(slug="spare", provider_type="mock", name="Spare")
    ApiToken.issue(user=found["owner"], name="program")
    return found


@pytest_asyncio.fixture
async def people(transactional_db: None) -> dict[str, Any]:
    return await in_pool(populated)()


@pytest_asyncio.fixture
async def known(process: Runtime, people: dict[str, Any]) -> dict[str, str]:
    """A turn of the owner's that has ended, and the parameters of addresses that ask for it."""
    started = await start_run(RunRequest.parse({"input": "Hello"}), user=people["owner"], locale="en", purpose="chat")
    await process.engine.drain()
    answer = await Message.objects.aget(run_id=started.run_id, role="assistant")
    ids = {"run_id": started.run_id, "conversation_id": started.conversation_id, "message_id": answer.pk}
    return {"provider_id": "spare", "credential_id": "key"} | {name: str(value) for name, value in ids.items()}


def url(path: str, known: dict[str, str], people: dict[str, Any]) -> str:
    """``path`` with its parameters filled in."""
    model = model_of(path)
    row = model._default_manager.first() if model else None
    others = {"app_label": "governance", "content_type_id": "0", "url": "nowhere", "rest": "nowhere"}
    return path.format(**known, **others, object_id=row.pk if row else "0", id=people["other"].pk)


async def asked(role: str, known: dict[str, str], people: dict[str, Any]) -> tuple[dict[Any, int], dict[Any, int]]:
    """The statuses that a role gets, and those that the tables promise it, by address."""
    client = AsyncClient()
    if role != "anonymous":
        await client.aforce_login(people[role])
    got, promised = {}, {}
    rows = [*(("GET", path) for path in sorted(paths()) if kind_of(path) in ADMIN_ROWS), *ROWS]
    for method, path in rows:
        address = await in_pool(url)(path, known, people)
        body = b'{"rating": "up"}' if path == FEEDBACK else b""
        answer = await client.generic(method, address, body, "application/json")
        got[method, path] = answer.status_code
        promised[method, path] = await in_pool(cell)(method, path, role, people.get(role))
    return got, promised


def command(name: str, known: dict[str, str]) -> dict[str, Any]:
    """A frame about the owner's run."""
    fields = {
        "send": {"text": "Hello", "send_id": "s", "conversation_id": known["conversation_id"]},
        "permission": {"run_id": known["run_id"], "request_id": known["run_id"], "decision": "deny"},
        "ping": {},
    }
    return {"type": name, **fields.get(name, {"run_id": known["run_id"]})}


async def answered(role: str, name: str, known: dict[str, str], people: dict[str, Any]) -> str:
    """What comes back first, as in ``SOCKET``."""
    if role == "anonymous":
        return str(await (await Socket().opened()).close_code())
    client = Client()
    await in_pool(client.force_login)(people[role])
    socket = await Socket(client).opened()
    await socket.say(**command(name, known))
    if SOCKET_ROWS[name][role] == "pong":
        await socket.say(type="ping")
    told = await socket.told()
    await socket.disconnect()
    return str(told["code"] if told["type"] == "error" else told["type"])


async def obeyed(role: str, known: dict[str, str], people: dict[str, Any]) -> dict[str, str]:
    """What a role gets for each command of the socket."""
    return {name: await answered(role, name, known, people) for name in SOCKET_ROWS}


@pytest.mark.parametrize("role", ROLES)
async def test_everybody_gets_what_the_tables_say(
    role: str, known: dict[str, str], people: dict[str, Any], process: Runtime
) -> None:
    assert await obeyed(role, known, people) == {name: cells[role] for name, cells in SOCKET_ROWS.items()}
    await process.engine.drain()
    got, promised = await asked(role, known, people)
    assert {item: status for item, status in got.items() if status != promised[item]} == {}


async def test_every_model_of_the_admin_has_a_row_to_look_at(known: dict[str, str]) -> None:
    empty = await in_pool(lambda: [model for model in admin.site._registry if not model._default_manager.exists()])()
    assert empty == []
