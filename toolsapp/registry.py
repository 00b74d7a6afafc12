"""The registry: every tool of this process, found in the ``agent_tools`` modules of the installed apps."""

import logging
from dataclasses import dataclass
from importlib import import_module
from threading import RLock

from django.apps import apps
from django.utils.module_loading import module_has_submodule

from toolsapp.definition import ToolDefinition
from toolsapp.errors import ToolDefinitionError, ToolNameTaken

logger = logging.getLogger(__name__)

MODULE = "agent_tools"


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What kept a tool or a module of tools out of the registry; a system check shows it."""

    check_id: str
    where: str
    message: str
    hint: str = ""


class Registry:
    """Tools by name, in one namespace."""

    def __init__(self) -> None:
        self._definitions: dict[str, ToolDefinition] = {}
        self._faults: list[Fault] = []
        self._found = False
        self._lock = RLock()

    def register(self, definition: ToolDefinition) -> None:
        """Add a tool. One that says ``override=True`` wins over one that does not, whichever comes first.

        Raises:
            ToolNameTaken: another tool has this name, and the new one does not say ``override=True``.
        """
        with self._lock:
            known = self._definitions.get(definition.name)
            if known is None or definition.override or definition.same_place(known):
                self._definitions[definition.name] = definition
            elif not known.override:
                raise ToolNameTaken(
                    f"The tool name {definition.name!r} of {definition.module}.{definition.function.__qualname__} is "
                    f"taken by {known.module}.{known.function.__qualname__}."
                )

    def definitions(self) -> list[ToolDefinition]:
        """Every tool that works, sorted by name; the first call looks for them."""
        self.discover()
        return [self._definitions[name] for name in sorted(self._definitions)]

    def faults(self) -> list[Fault]:
        """What was left out, and why."""
        self.discover()
        return list(self._faults)

    def discover(self) -> None:
        """Import ``agent_tools`` of every installed app, once. What is broken is left out and kept as a fault."""
        with self._lock:
            if self._found:
                return
            self._found = True
            for app in apps.get_app_configs():
                if app.module is not None and module_has_submodule(app.module, MODULE):
                    self.import_tools(f"{app.name}.{MODULE}")
            self._leave_out_undescribable()

    def import_tools(self, path: str) -> None:
        """Import one module of tools; when it fails, none of its tools stays."""
        before = dict(self._definitions)
        try:
            import_module(path)
        except ToolDefinitionError as error:
            self._definitions = before
            self._fault(error.check_id, path, str(error), error.hint)
        except Exception as error:
            # Somebody else's module: whatever it raises must not take the site down. The check names it.
            logger.exception("The tools of %s cannot be loaded", path)
            self._definitions = before
            hint = "Mend the module; until then its tools are missing."
            self._fault("steward.W101", path, f"{path} cannot be imported: {type(error).__name__}: {error}", hint)

    def _leave_out_undescribable(self) -> None:
        for name, definition in list(self._definitions.items()):
            try:
                definition.describe()
            except ToolDefinitionError as error:
                del self._definitions[name]
                self._fault(error.check_id, definition.module, str(error), error.hint)

    def _fault(self, check_id: str, where: str, message: str, hint: str) -> None:
        self._faults.append(Fault(check_id=check_id, where=where, message=message, hint=hint))


REGISTRY = Registry()
