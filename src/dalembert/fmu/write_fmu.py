"""``write_fmu``: an FMU file of a system, with sources, and with a binary for this platform where one can be built."""

from __future__ import annotations

import hashlib
import platform
import sys
import tempfile
import uuid
import zipfile
from dataclasses import dataclass
from pathlib import Path

from ..arm.errors import ArmError
from ..arm.io.whole_files import replacing
from ..compile import build
from ..compile.write_c import identifier
from ..mechanisms.mechanism_system import MechanismSystem
from ..reduction.program_system import ProgramSystem
from ..simulation.plant import Plant, plant_of
from ..simulation.settings import SimulationSettings
from ..systems.arm_system import ArmSystem
from ..systems.protocol import System
from ..version import __version__
from .arm_model import arm_model
from .fmu_model import FmuModel
from .mechanism_model import mechanism_model
from .model_code import sources
from .model_description import TOOL, build_description, description_2, description_3

VERSIONS = ("2.0", "3.0")
COMPILED = ("all.c",)
"""The files that a compiler is given; they include all others."""
OPTIONS = ("-std=c99", "-O2", "-ffp-contract=off", "-fvisibility=hidden")
FIRST_DAY = (1980, 1, 1, 0, 0, 0)
"""The time of all files of an FMU: the same system gives the same file."""


@dataclass(frozen=True)
class WrittenFmu:
    """An FMU that was written: where, its version, and the platform of its binary, or why it has none."""

    path: Path
    version: str
    platform: str
    without_binary: str = ""

    def __str__(self) -> str:
        kind = f"{self.path}: FMI {self.version}, model exchange and co-simulation, "
        if self.platform:
            return f"{kind}sources and a binary for {self.platform}"
        return f"{kind}sources alone, since {self.without_binary}; an importer builds it from them"


def write_fmu(
    system: System,
    path: str | Path,
    *,
    input: str | None = None,
    version: str = "2.0",
    stops: bool = False,
    restitution: float = 0.0,
    saturate: bool | None = None,
) -> WrittenFmu:
    """See ``Arm.write_fmu``."""
    if version not in VERSIONS:
        raise ArmError(f"no version {version!r} of FMI; there are {' and '.join(VERSIONS)}")
    if not system.n:
        raise ArmError(f"{system.name}: no joint moves, so that there is nothing to simulate; free one")
    SimulationSettings(stops=stops, restitution=restitution)
    plant = plant_of(system, input)
    return write_model(model_of(plant, stops, restitution, saturate), path, version)


def model_of(plant: Plant, stops: bool, restitution: float, saturate: bool | None) -> FmuModel:
    """The model of a plant."""
    system = plant.system
    if isinstance(system, ArmSystem):
        return arm_model(plant, system, None, stops, restitution, saturate)
    if isinstance(system, ProgramSystem):
        return arm_model(plant, system.system, system, stops, restitution, saturate)
    if isinstance(system, MechanismSystem):
        return mechanism_model(plant, system, stops, restitution, saturate)
    raise ArmError(f"{system.name}: an FMU is written of arms, of their reduced models and of mechanisms")


def write_model(model: FmuModel, path: str | Path, version: str) -> WrittenFmu:
    """Write the FMU of a model."""
    if Path(path).suffix != ".fmu":
        raise ArmError(f"{path}: the file of an FMU ends in .fmu, and importers look for that; name it so")
    name = identifier(model.title)
    draft = sources(model, version, name, "")
    shaped = "\0".join((version, __version__, model.title, *(f"{k}\0{text}" for k, text in sorted(draft.items()))))
    described = _description(model, version, name, "", f"{TOOL} {__version__}")
    token = f"{{{uuid.UUID(hashlib.sha256((shaped + described).encode()).hexdigest()[:32])}}}"
    files = {f"sources/{k}": text.encode() for k, text in sources(model, version, name, token).items()}
    files["modelDescription.xml"] = _description(model, version, name, token, f"{TOOL} {__version__}").encode()
    if version == "3.0":
        files["sources/buildDescription.xml"] = build_description(name, COMPILED).encode()
    folder, suffix = binary_location(version)
    why = ""
    try:
        files[f"binaries/{folder}/{name}{suffix}"] = built(files, version)
    except build.CompileError as fault:
        why = str(fault)
    with replacing(path) as beside, zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as archive:
        for inner, content in sorted(files.items(), key=lambda item: (item[0] != "modelDescription.xml", item[0])):
            info = zipfile.ZipInfo(inner, FIRST_DAY)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(info, content)
    return WrittenFmu(Path(path), version, "" if why else folder, why)


def _description(model: FmuModel, version: str, name: str, token: str, made_by: str) -> str:
    if version == "2.0":
        return description_2(model, name, token, made_by, COMPILED)
    return description_3(model, name, token, made_by)


def binary_location(version: str) -> tuple[str, str]:
    """The folder of binaries of this platform, and how their names end."""
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    system = {"win32": "windows", "darwin": "darwin"}.get(sys.platform, "linux")
    suffix = {"windows": ".dll", "darwin": ".dylib"}.get(system, ".so")
    if version == "2.0" and machine == "x86_64":
        return {"windows": "win64", "darwin": "darwin64", "linux": "linux64"}[system], suffix
    return f"{machine}-{system}", suffix


def built(files: dict[str, bytes], version: str) -> bytes:
    """The shared library of these sources, for any machine of this kind."""
    compiler = build.find()
    with tempfile.TemporaryDirectory(prefix="dalembert-fmu-") as directory:
        folder = Path(directory)
        for name, content in files.items():
            if name.startswith("sources/"):
                (folder / name.removeprefix("sources/")).write_bytes(content)
        options = (*OPTIONS, f"-DFMI{version[0]}_OVERRIDE_FUNCTION_PREFIX")
        return build.library(compiler, folder, COMPILED, options).read_bytes()
