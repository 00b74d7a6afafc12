"""What reading a streamed answer costs: our dialects, a bare httpx loop, and the libraries that others use.

The fake upstream, this driver and each subject are processes of their own. Rounds are interleaved, so that what
disturbs one subject disturbs its neighbour; a ratio is taken in each round, and the median of them counts. One
subject is there twice: where it differs from itself the machine was too busy, and all is measured again.
"""

import sys
from contextlib import ExitStack
from statistics import median

from agentcore.providers.clients import DIALECTS
from bench.answers import ANSWERS
from bench.measure import Ratio
from bench.subject import Reading, Running, Subject, SubjectFailed, upstream
from scripts.peers import missing

ROUNDS, TRIES = 9, 3
WIRES = tuple(DIALECTS)
DELTAS, SHORT, LONG = 2_000, 1_000, 8_000
TO_RAW, TO_OPENAI, TO_LITELLM, FLAT, CONTROL = 2.0, 1 / 5, 1 / 15, 9.0, 1.1

RAW = {wire: Subject("raw httpx", "raw", wire) for wire in ANSWERS}
AGAIN = Subject("raw httpx again", "raw", "openai_chat")
OURS = {wire: Subject("steward", "steward", wire) for wire in WIRES}
# The wires that each speaks.
SPOKEN = {
    ("openai SDK", "openai_sdk"): ("openai_chat", "openai_responses"),
    ("anthropic SDK", "anthropic_sdk"): ("anthropic",),
    ("pydantic-ai", "pydantic_ai_sdk"): ("openai_chat", "openai_responses", "anthropic"),
    ("agent-framework-core", "agent_framework_sdk"): ("openai_chat",),
    ("litellm", "litellm_sdk"): ("openai_chat", "openai_responses", "anthropic", "ollama"),
}
PEERS = {
    (name, wire): Subject(name, module, wire, is_peer=True)
    for (name, module), wires in SPOKEN.items()
    for wire in wires
}
Times = dict[Reading, list[float]]


def ratios() -> list[Ratio]:
    with ExitStack() as stack:
        address = stack.enter_context(upstream())
        running = _started(stack, address)
        for _try in range(TRIES):
            times = _measured(running, address)
            control = _against_itself(times)
            if control <= CONTROL:
                break
            print(f"  A subject differed from itself by {control:.2f}: measured again.", file=sys.stderr)
    _show(times)
    return [Ratio("raw httpx loop", control, "× itself", CONTROL), *_of_dialects(times), *_of_peers(times)]


def _started(stack: ExitStack, address: str) -> dict[Subject, Running]:
    """The processes that can be measured. Their first answer is not: it loads what they load late."""
    reason = missing()
    if reason:
        print(f"Other libraries are not measured: {reason}", file=sys.stderr)
    found = {}
    for subject in (*RAW.values(), AGAIN, *OURS.values(), *(() if reason else PEERS.values())):
        running = stack.enter_context(Running.start(subject))
        try:
            running.cpu_s(address, DELTAS)
        except SubjectFailed as error:
            if not subject.is_peer:
                raise
            print(f"{subject} is not measured: {error}", file=sys.stderr)
        else:
            found[subject] = running
    return found


def _measured(running: dict[Subject, Running], address: str) -> Times:
    readings = [Reading(subject, DELTAS) for subject in running]
    readings += [Reading(OURS[wire], deltas) for wire in WIRES for deltas in (SHORT, LONG)]
    times: Times = {reading: [] for reading in readings}
    for _round in range(ROUNDS):
        for subject, deltas in readings:
            times[Reading(subject, deltas)].append(running[subject].cpu_s(address, deltas))
    return times


def _ratio(times: Times, one: Reading, other: Reading) -> float:
    return median(a / b for a, b in zip(times[one], times[other], strict=True))


def _against_itself(times: Times) -> float:
    ratio = _ratio(times, Reading(AGAIN, DELTAS), Reading(RAW["openai_chat"], DELTAS))
    return max(ratio, 1 / ratio)


def _of_dialects(times: Times) -> list[Ratio]:
    found = []
    for wire, ours in OURS.items():
        reading = Reading(ours, DELTAS)
        found.append(Ratio(wire, _ratio(times, reading, Reading(RAW[wire], DELTAS)), "× raw httpx loop", TO_RAW))
        for name, limit in (("openai SDK", TO_OPENAI), ("litellm", TO_LITELLM)):
            # On the wire that both are known for, and that the limits were set on.
            if (other := Reading(PEERS[name, "openai_chat"], DELTAS)) in times:
                found.append(Ratio(wire, _ratio(times, reading, other), f"× {name}", limit))
        grown = _ratio(times, Reading(ours, LONG), Reading(ours, SHORT))
        found.append(Ratio(f"{wire}, {LONG} deltas", grown, f"× {SHORT} deltas", FLAT))
    return found


def _of_peers(times: Times) -> list[Ratio]:
    found = []
    for peer in PEERS.values():
        if (reading := Reading(peer, DELTAS)) in times:
            raw = Reading(RAW[peer.wire], DELTAS)
            found.append(Ratio(str(peer), _ratio(times, reading, raw), "× raw httpx loop"))
    return found


def _show(times: Times) -> None:
    for (subject, deltas), seconds in times.items():
        print(f"  {subject}, {deltas} deltas: {median(seconds) / deltas * 1e6:.1f} µs a delta", file=sys.stderr)
