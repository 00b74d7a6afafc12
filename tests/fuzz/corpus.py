"""What the fuzzers start from: every case, every transcript, and an answer of each wire that has all in it."""

import gzip
from dataclasses import dataclass

from tests.contracts.wire import Wire
from tests.contracts.wires import WIRES
from tests.recorded import Recorded, transcripts, wire_cases


@dataclass(frozen=True)
class Seed:
    """A body as it is before it is compressed, and the dialect that it is written in."""

    name: str
    api: str
    body: bytes
    status: int = 200

    @property
    def is_stream(self) -> bool:
        """Whether it is more than one JSON value."""
        return self.body.lstrip()[:1] not in b"{[" or self.api == "ollama"


def corpus() -> list[Seed]:
    return [*map(_seed, [*wire_cases(), *transcripts()]), *(_of_wire(api, wire) for api, wire in WIRES.items())]


def _seed(recorded: Recorded) -> Seed:
    answer, body = recorded.answer, recorded.body
    plain = gzip.decompress(body) if answer.headers.get("content-encoding") == "gzip" else body
    return Seed(recorded.name, recorded.api, plain, answer.status)


def _of_wire(api: str, wire: Wire) -> Seed:
    parts = [
        wire.text("one \u2028 é😀"),
        wire.call("call_a", "f", ['{"x": [1, 2', '], "ü": null}']),
        wire.call("call_b", "g", []),
        wire.usage(7, 3),
        wire.finish("tool_calls"),
        wire.end,
    ]
    return Seed(f"wire/{api}", api, b"".join(parts))
