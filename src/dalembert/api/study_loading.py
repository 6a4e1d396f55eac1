"""A study of a file, of the arm that it names."""

from __future__ import annotations

from pathlib import Path

from ..arm.description import ArmDescription
from ..studies.study_file import StudyFile, read_study
from .arm import Arm
from .loading import load


def load_study(path: str | Path) -> StudyFile:
    """The study in a TOML file (``docs/studies.md``): ``load_study("study.toml").study.run()``."""
    return read_study(path, study_arm)


def study_arm(source: object, model: str) -> Arm:
    """The arm of a study, with its drives counted by ``model``, or the links alone ("none")."""
    arm = load(source, physical="ignore")
    if model == "none":
        return arm
    driven: ArmDescription = arm.driven
    return driven.counting_drives(model)  # type: ignore[return-value]
