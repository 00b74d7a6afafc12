"""A dialect is a provider's wire format as pure functions: no socket, no clock."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from agentcore.chat import ChatRequest, ModelEvent
from agentcore.messages import Picture, Usage
from agentcore.providers.profile import Target
from agentcore.providers.sse import SseEvent, SseSplitter


@dataclass(frozen=True, kw_only=True)
class ModelListed:
    """A model that a provider says it has. ``context_window`` is in tokens, None when it does not say."""

    id: str
    name: str
    context_window: int | None = None


class Decoder(Protocol):
    """Reads one answer, streamed or whole, and gives its events in order.

    Tool calls and the finish come from ``end``: a call is whole only when the answer is.
    """

    # The answer said that nothing follows; what does follow is not read.
    done: bool

    def feed(self, event: SseEvent) -> list[ModelEvent]:
        """
        Raises:
            ProviderError: the stream reports an error, or cannot be understood.
        """

    def whole(self, payload: Any) -> list[ModelEvent]:
        """An answer that came as one JSON value; ``end`` follows all the same.

        Raises:
            ProviderError: it is an error, or cannot be understood.
        """

    def usage(self) -> Usage | None:
        """What was reported so far; None when nothing was."""

    def end(self) -> list[ModelEvent]:
        """The calls, if any, and the finish.

        Raises:
            ProviderBadResponse: the answer ended without evidence that it is whole.
            OutputTruncated: the output limit cut off a tool call.
        """


class Splitter(Protocol):
    """Cuts a stream's bytes into events, wherever the network cut them."""

    def takes(self, start: bytes) -> bool:
        """Whether a body whose first byte that is not blank is ``start`` is such a stream."""

    def feed(self, chunk: bytes) -> Iterable[SseEvent]:
        """
        Raises:
            ProviderBadResponse: a part of it is too large.
        """

    def end(self) -> Iterable[SseEvent]:
        """What the end of the body leaves."""


def any_picture(picture: Picture) -> bool:
    return True


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """A wire format.

    ``path`` follows the base URL, and so does ``models_path``, where the models are listed and ``models`` reads them;
    ``base_endings`` are what people leave at the end of a base URL although the paths say it; ``headers`` takes the
    key, which may be empty; ``splitter``
    cuts a stream into events; ``takes_picture`` says whether the wire can carry one, by its format or as a link.

    Raises (from ``models``):
        ProviderBadResponse: it is no list of models.
    """

    path: str
    models_path: str
    default_base_url: str
    headers: Callable[[str], dict[str, str]]
    encode: Callable[[ChatRequest, Target], dict[str, Any]]
    decoder: Callable[[ChatRequest], Decoder]
    models: Callable[[Any], list[ModelListed]]
    splitter: Callable[[], Splitter] = SseSplitter
    takes_picture: Callable[[Picture], bool] = any_picture
    base_endings: tuple[str, ...] = ()

    def base_url(self, given: str) -> str:
        """Where the paths begin: at ``given``, or at home."""
        base = (given or self.default_base_url).rstrip("/")
        return next((base.removesuffix(end) for end in self.base_endings if base.endswith(end)), base)
