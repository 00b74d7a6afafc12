"""The laws of the house, as functions over a source tree. Each returns its violations, a sentence each.

``tests/test_architecture.py`` holds this project to them, and holds each law to a tree that breaks it.
"""

import ast
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

GROUND, WINGS, SITE = "agentcore", ("conversations", "toolsapp", "governance"), "config"
PACKAGES = (GROUND, *WINGS, SITE, "examples")

# Floors of the kernel, lowest first; a module imports its own floor and those under it.
FLOORS = (
    ("messages", "events", "errors", "redaction", "conf", "clock", "ids", "text", "chat", "serialisation", "finishing"),
    ("middleware", "tools", "observers"),
    ("providers",),
    ("gateway",),
    ("compaction",),
    ("agents",),
)
FLOOR_OF = {f"{GROUND}.{name}": level for level, names in enumerate(FLOORS) for name in names}

CROSSINGS = {"in_pool", "in_writer", "sync_to_async", "database_sync_to_async"}
# What Django offers to async code; each of them is a crossing of its own.
ASYNC_DATABASE = {
    *("aget", "acreate", "aget_or_create", "aupdate_or_create", "abulk_create", "abulk_update", "aupdate", "adelete"),
    *("acount", "aexists", "afirst", "alast", "aearliest", "alatest", "aaggregate", "acontains", "ain_bulk"),
    *("aiterator", "asave", "arefresh_from_db", "aadd", "aset", "aremove", "aclear", "to_thread", "run_in_executor"),
}
NAMES_THAT_SAY_NOTHING = {"utils", "util", "helpers", "helper", "common", "manager", "managers", "misc"}
PYTHON_LINES, SCRIPT_LINES = 300, 249


def python_files(root: Path, *tops: str) -> Iterator[Path]:
    """Every module under ``tops``, in order."""
    for top in tops:
        yield from sorted((root / top).rglob("*.py"))


@cache
def tree_of(file: Path) -> ast.Module:
    """The parsed ``file``; every law looks at it again."""
    return ast.parse(file.read_text(encoding="utf-8"))


def module_name(root: Path, file: Path) -> str:
    """The dotted name of ``file``; a package's is that of its folder."""
    parts = file.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(file: Path) -> set[str]:
    """Every absolute name that ``file`` imports, wherever the import stands.

    ``from a import b`` is ``a.b``, since ``b`` may be a module. Relative ones are a violation of their own.
    """
    names: set[str] = set()
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def relative_imports(root: Path) -> list[str]:
    """Imports that do not say where they lead; the laws of import read absolute names."""
    return [
        f"{file.relative_to(root)}:{node.lineno} is a relative import"
        for file in python_files(root, *PACKAGES, "scripts", "bench", "tests")
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.ImportFrom) and node.level
    ]


def _may_import(top: str, other: str) -> bool:
    if top in (other, SITE) or other not in PACKAGES:
        return True
    if top == "examples":
        return other != SITE
    return top in WINGS and other == GROUND


def broken_imports(root: Path) -> list[str]:
    """The law of imports: wings import the ground, the ground no wing, no wing a wing, nobody the site."""
    return [
        f"{file.relative_to(root)} imports {name}"
        for file in python_files(root, *PACKAGES)
        for name in sorted(imports_of(file))
        if not _may_import(file.relative_to(root).parts[0], name.split(".")[0])
    ]


def _floor(name: str) -> int | None:
    return FLOOR_OF.get(".".join(name.split(".")[:2]))


def broken_floors(root: Path) -> list[str]:
    """A module of the kernel that imports a higher floor, or the ground above the kernel."""
    found = []
    for file in python_files(root, GROUND):
        level = _floor(module_name(root, file))
        if level is None:
            continue
        for name in sorted(imports_of(file)):
            other = _floor(name)
            if name.startswith(f"{GROUND}.") and (other is None or other > level):
                found.append(f"{file.relative_to(root)} imports {name}, which is above it")
    return found


def kernel_modules(root: Path) -> list[str]:
    """The dotted names of all modules under the line."""
    names = (module_name(root, file) for file in python_files(root, GROUND))
    return [name for name in names if _floor(name) is not None]


def _names_used(tree: ast.AST) -> set[str]:
    loads = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return loads | {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def crossings_outside_bridges(root: Path) -> list[str]:
    """Code that crosses from async to the database anywhere but in a ``bridge.py``."""
    found = []
    for file in python_files(root, *PACKAGES):
        parts = file.relative_to(root).parts
        if parts[-1] != "bridge.py" and parts != (GROUND, "pool.py"):
            imported = {name.split(".")[-1] for name in imports_of(file)}
            used = (_names_used(tree_of(file)) | imported) & (CROSSINGS | ASYNC_DATABASE)
            found += [f"{file.relative_to(root)} uses {name}" for name in sorted(used)]
    return found


def long_crossings(root: Path) -> list[str]:
    """What a bridge has beside its imports and lines like ``name = crossing(function)``."""
    return [
        f"{file.relative_to(root)}:{statement.lineno} is no crossing of one line"
        for file in python_files(root, *PACKAGES)
        if file.name == "bridge.py"
        for statement in tree_of(file).body
        if not _is_crossing(statement) and not isinstance(statement, ast.Import | ast.ImportFrom | ast.Expr)
    ]


def _is_crossing(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Assign) else None
    is_one_line = statement.lineno == statement.end_lineno
    return is_one_line and isinstance(value, ast.Call) and bool(_names_used(value.func) & CROSSINGS)


def _filled_lines(file: Path) -> int:
    return sum(1 for line in file.read_text(encoding="utf-8").split("\n") if line.strip())


def oversized_modules(root: Path) -> list[str]:
    """Modules with more lines that are not blank than a room may have."""
    rooms = [file for file in python_files(root, *PACKAGES, "scripts", "bench") if "migrations" not in file.parts]
    tops = [top for name in ("static", *PACKAGES) for top in sorted((root / name).rglob("*.[jm]*"))]
    scripts = [file for file in tops if file.suffix in {".js", ".mjs"} and "vendor" not in file.parts]
    sizes = [(file, _filled_lines(file), PYTHON_LINES) for file in rooms]
    sizes += [(file, _filled_lines(file), SCRIPT_LINES) for file in scripts]
    return [f"{file.relative_to(root)} has {lines} lines" for file, lines, limit in sizes if lines > limit]


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def hidden_imports(root: Path) -> list[str]:
    """Imports inside functions.

    ``ready`` of an ``apps.py`` is free: what needs the registry of apps cannot be imported before it.
    """
    found = set()
    for file in python_files(root, *PACKAGES, "scripts", "bench", "tests"):
        for function in _functions(tree_of(file)):
            if file.name == "apps.py" and function.name == "ready":
                continue
            inner = (node for node in ast.walk(function) if isinstance(node, ast.Import | ast.ImportFrom))
            found |= {f"{file.relative_to(root)}:{node.lineno} imports inside a function" for node in inner}
    return sorted(found)


def empty_names(root: Path) -> list[str]:
    """Modules and folders whose name says nothing of what is in them."""
    return [
        f"{file.relative_to(root)} has a name that says nothing"
        for file in python_files(root, *PACKAGES, "scripts", "bench")
        if NAMES_THAT_SAY_NOTHING & {*file.relative_to(root).parent.parts, file.stem}
    ]


RANDOM = {"uuid4", "uuid7", "random", "token_hex", "randint"}


def random_names(root: Path) -> list[str]:
    """A test that is named after something random has another name in every worker, and none runs."""
    return [
        f"{file.relative_to(root)}:{node.lineno}: {name}() outside a function is another in every process."
        for file in python_files(root, "tests")
        for node in _outside_functions(tree_of(file))
        if isinstance(node, ast.Call) and (name := ast.unparse(node.func).rpartition(".")[2]) in RANDOM
    ]


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    """What is evaluated when the module is imported: decorators of functions too, their bodies not."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Lambda):
            continue
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            for decorator in child.decorator_list:
                yield from [decorator, *_outside_functions(decorator)]
        else:
            yield from [child, *_outside_functions(child)]


LAWS: tuple[Callable[[Path], list[str]], ...] = (
    relative_imports,
    broken_imports,
    broken_floors,
    crossings_outside_bridges,
    long_crossings,
    oversized_modules,
    hidden_imports,
    empty_names,
    random_names,
)
