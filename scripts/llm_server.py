"""The process of a local model: llama.cpp's own HTTP server on loopback, until its standard input ends.

``llm_server.py {"model": path, "name": text, "port": number, "template": path or null}``; port 0 takes any free one.
Prints its address when the model is loaded.
"""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import xllamacpp

SLOTS = 2
CONTEXT_PER_SLOT = 4096
WARNINGS = 1


def parameters(model: str, name: str, port: int, template: str | None) -> xllamacpp.CommonParams:
    """One thread, two slots, the chat template on, reachable from this machine alone."""
    chosen = xllamacpp.CommonParams()
    chosen.model.path = model
    chosen.model_alias = {name}
    chosen.hostnames = ["127.0.0.1"]
    chosen.port = port
    chosen.n_parallel = SLOTS
    chosen.n_ctx = SLOTS * CONTEXT_PER_SLOT
    chosen.cpuparams.n_threads = chosen.cpuparams_batch.n_threads = 1
    chosen.use_jinja = chosen.enable_chat_template = True
    chosen.chat_template = Path(template).read_text(encoding="utf-8") if template else ""
    chosen.cors_origins = ""
    chosen.ui = False
    chosen.verbosity = WARNINGS
    return chosen


def main() -> None:
    order = SimpleNamespace(**json.loads(sys.argv[1]))
    server = xllamacpp.Server(parameters(order.model, order.name, order.port, order.template))
    print(server.listening_address, flush=True)
    # Who started this holds the other end: when they are gone, however they went, so is the server.
    sys.stdin.buffer.read()


if __name__ == "__main__":
    main()
