"""Where the answers of a study stand while it runs: a file for each chunk, whole, in a folder beside the result.

A study that was interrupted or killed finds them there and works out only what is missing.
"""

from __future__ import annotations

import json
import shutil
import zipfile
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from ..arm.io.text_files import read_text
from ..arm.io.whole_files import made_folder, replacing, write_whole
from .evaluator import Answers

Array = NDArray[np.float64]
LARGEST_NOTE = 1_000_000
ATTEMPTS = 3
"""Times that a chunk is tried to be kept."""
UNREADABLE = (OSError, ValueError, KeyError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)
"""What NumPy and its archive raise of a damaged file; RuntimeError of one that says it is encrypted, or of a version to
come.
"""


class StudyStore:
    """The chunks of one study, known by its ``identity``, beside the file ``path`` of its results."""

    def __init__(self, path: Path, identity: str) -> None:
        self.path, self.identity = path, identity
        self.folder = path.with_name(f"{path.name}.parts")
        self.note = self.folder / "study.json"
        if self.note.exists() and self._identity_in(self.note) != identity:
            raise ArmError(
                f"{self.folder}: holds the chunks of another study; remove that folder, or name another file"
            )

    @staticmethod
    def _identity_in(note: Path) -> object:
        try:
            content = json.loads(read_text(note, LARGEST_NOTE))
        except ValueError:
            return None
        return content.get("identity") if isinstance(content, dict) else None

    def _chunk(self, number: int) -> Path:
        return self.folder / f"chunk-{number:08d}.npz"

    def _known_by(self, number: int) -> str:
        return f"{self.identity} {number}"

    def save(self, number: int, answers: Answers) -> None:
        """Keep the answers of a chunk; the first one makes the folder, so that a study that is refused leaves none."""
        for attempts_left in reversed(range(ATTEMPTS)):
            try:
                if not self.note.exists():
                    made_folder(self.folder)
                    write_whole(self.note, json.dumps({"identity": self.identity}))
                with replacing(self._chunk(number)) as beside, open(beside, "wb") as file:
                    np.savez(
                        file, values=answers.values, failures=np.array(answers.failures, dtype=np.str_),
                        chunk=self._known_by(number),
                    )  # fmt: skip
            except ArmError:
                # Another run of the same study, which is done, may just be removing the folder.
                if not attempts_left:
                    raise
            else:
                return

    def load(self, number: int, rows: int, columns: int) -> Answers | None:
        """The answers of a chunk, or None where they are not there, or are not what this study asks for."""
        try:
            with open(self._chunk(number), "rb") as file, np.load(file, allow_pickle=False) as archive:
                values, failures, chunk = archive["values"], archive["failures"], archive["chunk"]
        except UNREADABLE:
            return None  # a chunk that cannot be read is worked out again
        # One of another study is left where that was killed while it removed its chunks; files are copied by people.
        if chunk.shape != () or str(chunk) != self._known_by(number):
            return None
        if values.shape != (rows, columns) or failures.shape != (rows,) or values.dtype != np.float64:
            return None
        return Answers(values, tuple(map(str, failures)))

    def remove(self) -> None:
        """The chunks, once the results stand in their file."""
        shutil.rmtree(self.folder, ignore_errors=True)
