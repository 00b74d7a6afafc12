"""What ``make local-llm`` starts: a small real model on this machine, as the provider ``local`` while it runs."""

import signal
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from django.utils.module_loading import import_string

from scripts.llm_models import QWEN_CODER, SMOLLM2, Weights, WeightsUnavailable, own_file
from scripts.llm_process import ServerFailed, require_llama, serving
from scripts.llm_provider import PROVIDER, registered
from scripts.ports import port_of, require_free
from scripts.site import migrate, set_up

# No users: their random passwords are shown once, by the command that makes them.
ASSISTANT = "examples.travel.services.demo.assistant_load"
READY = """
{name} answers at {base_url} as the provider '{provider}'.

Try      .venv/bin/python manage.py ask --provider {provider} "{question}"
         or, with 'make run' elsewhere, choose it in the drawer's model bar{default}

Ctrl-C stops it and switches the provider off.
"""


def arguments() -> Namespace:
    parser = ArgumentParser(prog="make local-llm")
    parser.add_argument("--tools", action="store_true", help="a larger model, which calls tools (TOOLS=1)")
    parser.add_argument("--model", type=Path, help="a GGUF file of your own (MODEL=FILE.gguf)")
    parser.add_argument("--port", default="8033", help="the server's port (LLM_PORT=)")
    parser.add_argument("--default", action="store_true", help="the assistant's first route meanwhile (DEFAULT=1)")
    return parser.parse_args()


def chosen(options: Namespace) -> Weights:
    if options.model:
        return own_file(options.model)
    return QWEN_CODER if options.tools else SMOLLM2


def prepare_site() -> None:
    set_up()
    migrate()
    # Named by path: it imports models, which needs the setup above.
    import_string(ASSISTANT)()


def say_ready(weights: Weights, base_url: str, options: Namespace) -> None:
    question = "What is the weather in Tokyo?" if options.tools else "Tell me about Shanghai in one sentence."
    default = "; it is the assistant's first route" if options.default else ""
    print(
        READY.format(name=weights.name, base_url=base_url, provider=PROVIDER, question=question, default=default),
        flush=True,
    )


def main() -> None:
    options = arguments()
    # A plain kill must not leave the provider on.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    prepare_site()
    port = port_of(options.port, "LLM_PORT")
    require_free(port, "make local-llm LLM_PORT")
    require_llama()
    weights = chosen(options)
    with serving(weights, port) as server:
        base_url = f"{server.address}/v1"
        with registered(base_url=base_url, weights=weights, is_default=options.default):
            say_ready(weights, base_url, options)
            server.wait()
    raise ServerFailed("The model's server ended by itself.")


if __name__ == "__main__":
    try:
        main()
    except (ServerFailed, WeightsUnavailable) as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(130)
