"""The socket of a person: takes commands, shows runs. A run never depends on it."""

import asyncio
import json
import logging
from collections.abc import Coroutine
from typing import Any
from uuid import UUID

from channels.generic.websocket import AsyncWebsocketConsumer
from django.utils import translation

from agentcore.bridge import arun_visible
from agentcore.errors import AgentError, InternalError, NotFound, RateLimited
from agentcore.runs import service as runs
from agentcore.runs.requests import RunRequest
from conversations.bridge import alogin_load
from conversations.frames import (
    Frame,
    Notice,
    Permission,
    Ping,
    Refused,
    Send,
    Stop,
    Subscribe,
    Unsubscribe,
    error_frame,
    parse,
)
from conversations.groups import group_join, group_leave
from conversations.login import language_of, login_key
from conversations.watch import WATCH
from conversations.wire import Wire

logger = logging.getLogger(__name__)

NOT_LOGGED_IN = 4401
TOO_SLOW = 4408
# Of the WebSocket's own codes: what this server did not expect.
OUR_FAULT = 1011
# How long a reader may leave 64 KiB untaken.
SLOW_AFTER_S = 15.0
# What one socket may have us do at once: commands that wait, stops on their way, runs that it watches.
WAITING_COMMANDS = 64
STOPS = 16
FOLLOWED_RUNS = 64

# Commands outlive a socket that closes in the middle of one; without this, nothing would hold their tasks.
_at_work: set["asyncio.Task[None]"] = set()


class AgentSocket(AsyncWebsocketConsumer):
    """One connection.

    Channels hands over one message at a time, so nothing here makes it wait: commands go to a queue with one worker,
    which keeps their order and answers as fast as the reader reads, and a stop overtakes the queue.
    """

    async def connect(self) -> None:
        """Accept first: a page can read a close code, but not why a handshake was refused. Nothing is read before."""
        self.login, self.user_id = login_key(self.scope), None
        self.locale = language_of(self.scope)
        # Closed: nothing more is sent. Barred: nothing more is carried out either.
        self.is_closed = self.is_barred = False
        self.wire = Wire(self.base_send)
        self.commands: asyncio.Queue[Frame | None] = asyncio.Queue()
        self.stops: set[asyncio.Task[None]] = set()
        self.followed: dict[UUID, asyncio.Task[None]] = {}
        await self.accept()
        _start(self._work())

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if self.is_closed:
            return
        with translation.override(self.locale):
            frame = parse(text_data)
        if isinstance(frame, Stop) and self.user_id is not None and len(self.stops) < STOPS:
            self.stops.add(task := _start(self._carry_out(frame)))
            task.add_done_callback(self.stops.discard)
        elif self.commands.qsize() < WAITING_COMMANDS:
            self.commands.put_nowait(frame)
        elif self.wire.is_full:
            await self._close(TOO_SLOW)
        else:
            await self._say(error_frame(RateLimited(), frame.about))

    async def conversation_changed(self, message: dict[str, Any]) -> None:
        """A run of this person began or ended, maybe in another window or process."""
        if self.commands.qsize() < WAITING_COMMANDS:
            self.commands.put_nowait(Notice(frame=message["frame"]))

    async def disconnect(self, code: int) -> None:
        self._end()
        if self.user_id is not None:
            await group_leave(self.user_id, self.channel_name)

    async def login_ended(self) -> None:
        await self._close(NOT_LOGGED_IN)

    async def _work(self) -> None:
        """Carry out commands in order. Those that came before the reader left are carried out all the same."""
        translation.activate(self.locale)
        try:
            user = await alogin_load(self.login)
        except Exception:
            # Else the task would end in silence, and the socket stay open without anybody who works for it.
            logger.exception("The login of a socket could not be checked.")
            await self._say(error_frame(InternalError(), {}))
            await self._close(OUR_FAULT)
            return
        if user is None:
            await self._close(NOT_LOGGED_IN)
            return
        self.user_id = user.pk
        if not self.is_closed:
            WATCH.add(self)
            await group_join(user.pk, self.channel_name)
        while (frame := await self.commands.get()) is not None:
            await self._carry_out(frame)

    async def _carry_out(self, frame: Frame) -> None:
        translation.activate(self.locale)
        try:
            await self._wait_for_room()
            if not self.is_barred:
                await self._obey(frame)
        except AgentError as error:
            await self._say(error_frame(error, frame.about))
        except Exception:
            # One command that breaks must not take the socket, and with it the others, along.
            logger.exception("A %s frame could not be carried out.", type(frame).__name__)
            await self._say(error_frame(InternalError(), frame.about))

    async def _obey(self, frame: Frame) -> None:
        match frame:
            case Notice():
                await self._say(frame.frame)
            case _:
                user = await alogin_load(self.login)
                if user is None or user.pk != self.user_id:
                    await self._close(NOT_LOGGED_IN)
                else:
                    await self._command(frame, user)

    async def _command(self, frame: Frame, user: Any) -> None:
        """
        Raises:
            AgentError: the command is refused.
        """
        match frame:
            case Refused():
                raise frame.error
            case Ping():
                await self._say({"type": "pong"})
            case Unsubscribe():
                self._unfollow(frame.run_id)
            case Send():
                await self._send_text(frame, user)
            case Stop():
                await runs.cancel_run(frame.run_id, user=user, reason="user")
            case Subscribe():
                await arun_visible(frame.run_id, user)
                self._follow(frame.run_id, frame.after_sequence)
            case Permission():
                # Nothing asks for permission yet, so there is no request to decide.
                await arun_visible(frame.run_id, user)
                raise NotFound()

    async def _send_text(self, frame: Send, user: Any) -> None:
        started = await runs.start_run(RunRequest.parse(frame.fields), user=user, locale=self.locale)
        conversation_id = str(started.conversation_id) if started.conversation_id else None
        accepted = {"run_id": str(started.run_id), "conversation_id": conversation_id}
        await self._say({"type": "accepted", "send_id": frame.send_id, **accepted})
        try:
            self._follow(started.run_id, -1)
        except RateLimited as error:
            # Of the run: the send itself was taken.
            await self._say(error_frame(error, {"run_id": str(started.run_id)}))

    def _follow(self, run_id: UUID, after: int) -> None:
        """Show the run from ``after`` on; a second subscription replaces the first.

        Raises:
            RateLimited: this socket shows too many runs at once.
        """
        self._unfollow(run_id)
        if len(self.followed) >= FOLLOWED_RUNS:
            raise RateLimited()
        if not self.is_closed:
            self.followed[run_id] = _start(self._show(run_id, after))

    def _unfollow(self, run_id: UUID) -> None:
        task = self.followed.pop(run_id, None)
        if task is not None:
            task.cancel()

    async def _show(self, run_id: UUID, after: int) -> None:
        """Send the run's events one by one, each when the reader has taken enough of those before."""
        try:
            async for events in runs.follow(run_id, after=after):
                for event in events:
                    await self._wait_for_room()
                    await self._say({"type": "event", "event": event.envelope()})
        except Exception:
            # The run goes on; its reader must know that this is not all of it.
            logger.exception("Run %s could not be shown.", run_id)
            await self._say(error_frame(InternalError(), {"run_id": str(run_id)}))
        if self.followed.get(run_id) is asyncio.current_task():
            del self.followed[run_id]

    async def _wait_for_room(self) -> None:
        if not self.wire.is_full:
            return
        try:
            async with asyncio.timeout(SLOW_AFTER_S):
                await self.wire.room()
        except TimeoutError:
            await self._close(TOO_SLOW)

    async def _say(self, frame: dict[str, Any]) -> None:
        if self.is_closed:
            return
        try:
            await self.send(text_data=json.dumps(frame, ensure_ascii=False, separators=(",", ":")))
        except OSError:
            # How some servers say that the reader has left; the message that says so properly is on its way.
            self._end()

    async def _close(self, code: int) -> None:
        self.is_barred = True
        if not self.is_closed:
            self._end()
            await self.close(code=code)

    def _end(self) -> None:
        """Stop showing; runs go on."""
        if self.is_closed:
            return
        self.is_closed = True
        WATCH.remove(self)
        self.wire.release()
        self.commands.put_nowait(None)
        for run_id in list(self.followed):
            self._unfollow(run_id)


def _start(work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
    task = asyncio.create_task(work)
    _at_work.add(task)
    task.add_done_callback(_at_work.discard)
    return task
