"""``manage.py ask``: one turn from the terminal, in this process."""

import asyncio
import os
import signal
import sys
from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.core.management import get_commands
from django.core.management.base import BaseCommand, CommandError
from django.utils import translation
from django.utils.translation import gettext as _

from agentcore.api.errors import details_of
from agentcore.errors import AgentError, ApiError, ValidationFailed
from agentcore.events import EventType
from agentcore.management.database import usable_database
from agentcore.management.transcript import Transcript
from agentcore.pool import close_pools
from agentcore.runs.requests import RunRequest
from agentcore.runs.runtime import runtime
from agentcore.runs.service import cancel_run, follow, start_run

DEFAULT_USER = "demo"
# Of the example app, which a site of its own has not.
DEMO_COMMAND = "demo"
COMPLETED, FAILED, USAGE = 0, 1, 2


class Command(BaseCommand):
    help = "One turn from the terminal: the answer on stdout, everything else on stderr. Exit 0, 1 (failed), 2 (usage)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("text", help="what to ask")
        parser.add_argument("--user", default=DEFAULT_USER, help="who asks (default: %(default)s)")
        parser.add_argument("--agent", help="an agent's id")
        parser.add_argument("--provider", help="a provider's id")
        parser.add_argument("--model", help="one of its models")
        parser.add_argument("--conversation", help="the conversation to go on with")
        parser.add_argument("--json", action="store_true", dest="as_json", help="one event envelope a line on stdout")
        answers = parser.add_mutually_exclusive_group()
        answers.add_argument("--yes", action="store_true", help="approve what the agent asks for")
        answers.add_argument("--no", action="store_true", help="deny it")

    def handle(self, *args: Any, **options: Any) -> None:
        request = _request(options)
        with usable_database():
            user = _user(options["user"])
        transcript = Transcript(self.stdout, self.stderr, as_json=options["as_json"])
        # Only errors are red on a terminal; what is beside an answer is none.
        self.stderr.style_func = None
        try:
            code = asyncio.run(_Turn(transcript).ask(request, user))
        finally:
            close_pools()
        if code != COMPLETED:
            sys.exit(code)


class _Turn:
    """One turn. The first Ctrl-C stops the run and waits for its end; the second one kills this process."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._stopped = asyncio.Event()

    async def ask(self, request: RunRequest, user: Any) -> int:
        """Run it to its end; return the exit code."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop, loop, number)
        try:
            started = await start_run(request, user=user, locale=translation.get_language() or "en")
        except AgentError as error:
            raise _refusal(error) from error
        stopper = loop.create_task(self._cancel_when_stopped(started.run_id, user))
        try:
            code = await self._follow(started.run_id)
        finally:
            stopper.cancel()
            await runtime().close()
        if started.conversation_id:
            words = _("To go on: %(option)s") % {"option": f"--conversation {started.conversation_id}"}
            self._transcript.aside.write(words, ending="\n")
        return code

    async def _follow(self, run_id: UUID) -> int:
        code = FAILED
        async for events in follow(run_id):
            try:
                self._transcript.show(events)
            except BrokenPipeError:
                # Nobody reads any more, as in ``ask … | head -1``: stop, and write the rest nowhere.
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                self._stopped.set()
            if events and events[-1].type is EventType.RUN_COMPLETED:
                code = COMPLETED
        return code

    def _stop(self, loop: asyncio.AbstractEventLoop, number: int) -> None:
        loop.remove_signal_handler(number)
        self._stopped.set()

    async def _cancel_when_stopped(self, run_id: UUID, user: Any) -> None:
        await self._stopped.wait()
        await cancel_run(run_id, user=user, reason="user")


def _request(options: dict[str, Any]) -> RunRequest:
    try:
        return RunRequest.parse(
            {
                "input": options["text"],
                "agent": options["agent"],
                "provider_id": options["provider"],
                "model": options["model"],
                "conversation_id": options["conversation"],
            }
        )
    except AgentError as error:
        raise _refusal(error) from error


def _user(name: str) -> Any:
    users = get_user_model()
    user = users._default_manager.filter(**{users.USERNAME_FIELD: name}, is_active=True).first()
    if user is not None:
        return user
    if name != DEFAULT_USER:
        text = _("There is no active user %(name)r.") % {"name": name}
    elif DEMO_COMMAND in get_commands():
        text = _("There is no user 'demo' yet. Make one with: manage.py demo")
    else:
        text = _("Say who asks: name a user with --user NAME.")
    raise CommandError(text, returncode=USAGE)


def _refusal(error: AgentError) -> CommandError:
    """A request that was wrong is a matter of usage; one that was right and refused is a failure."""
    wrong = details_of(error) if isinstance(error, ValidationFailed) else None
    problems = [f"{field}: {' '.join(texts)}" for field, texts in (wrong or {}).items()]
    text = "\n".join([f"{error.code}: {error.message}", *problems])
    return CommandError(text, returncode=USAGE if isinstance(error, ApiError) else FAILED)
