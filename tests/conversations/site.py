"""The site as ``make run`` serves it, for tests: Daphne on a free port, on the test's own database.

Run as ``python -m tests.conversations.site SECONDS``; prints its port. SECONDS is how long a reader may be slow.
"""

import os
import sys
from functools import partial

# Before Django: Twisted keeps the reactor that is imported first.
from daphne.server import Server  # isort: skip

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from config.asgi import application
from conversations import consumer


class AnyPort(Server):
    def listen_success(self, port: object) -> None:
        super().listen_success(port)
        print(port.getHost().port, flush=True)  # type: ignore[attr-defined]


def main(slow_after_s: float) -> None:
    consumer.SLOW_AFTER_S = slow_after_s
    AnyPort(application, endpoints=["tcp:port=0:interface=127.0.0.1"], signal_handlers=True).run()


if __name__ == "__main__":
    partial(main, float(sys.argv[1]))()
