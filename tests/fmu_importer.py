"""An importer of FMUs for the tests: fmpy loads them and calls their functions, SciPy integrates model exchange."""

from __future__ import annotations

from contextlib import contextmanager
from ctypes import POINTER, c_double
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Model, FMU2Slave
from fmpy.fmi3 import FMU3Model, FMU3Slave
from scipy.integrate import DOP853
from scipy.optimize import brentq

PARTS = {("2", True): FMU2Model, ("2", False): FMU2Slave, ("3", True): FMU3Model, ("3", False): FMU3Slave}


class Imported:
    """One instance of an FMU, set by names."""

    def __init__(self, path: str | Path, exchange: bool, folder: Path, tolerance: float | None = None) -> None:
        self.description = read_model_description(str(path))
        self.three = self.description.fmiVersion.startswith("3")
        self.by_name = {v.name: v for v in self.description.modelVariables}
        part = self.description.modelExchange if exchange else self.description.coSimulation
        unzipped = extract(str(path), unzipdir=str(folder))
        kind = PARTS["3" if self.three else "2", exchange]
        self.fmu = kind(
            guid=self.description.guid,
            unzipDirectory=unzipped,
            modelIdentifier=part.modelIdentifier,
            instanceName="arm",
        )
        self.fmu.instantiate()
        self.tolerance = tolerance

    def set(self, values: dict[str, Any]) -> None:
        """Set variables by name."""
        for name, value in values.items():
            v = self.by_name[name]
            if v.type == "Boolean":
                self.fmu.setBoolean([v.valueReference], [value])
            elif self.three:
                self.fmu.setFloat64([v.valueReference], [value])
            else:
                self.fmu.setReal([v.valueReference], [value])

    def get(self, *names: str) -> np.ndarray:
        """Values by name."""
        found = []
        for name in names:
            v = self.by_name[name]
            if v.type in ("Integer", "Int32"):
                found.append((self.fmu.getInt32 if self.three else self.fmu.getInteger)([v.valueReference])[0])
            else:
                found.append((self.fmu.getFloat64 if self.three else self.fmu.getReal)([v.valueReference])[0])
        return np.array(found, dtype=float)

    def named(self, stem: str) -> list[str]:
        """Names of variables that begin so."""
        return [name for name in self.by_name if name.startswith(stem)]

    def initialise(self, values: dict[str, Any]) -> None:
        """Parameters, start values and inputs; then the end of initialisation."""
        if self.three:
            self.fmu.enterInitializationMode(tolerance=self.tolerance)
        else:
            self.fmu.setupExperiment(tolerance=self.tolerance)
            self.fmu.enterInitializationMode()
        self.set(values)
        self.fmu.exitInitializationMode()

    def close(self) -> None:
        """Give it back."""
        self.fmu.terminate()
        self.fmu.freeInstance()


@contextmanager
def imported(path: str | Path, exchange: bool, folder: Path, tolerance: float | None = None) -> Any:
    """An instance that is closed at the end."""
    fmu = Imported(path, exchange, folder, tolerance)
    try:
        yield fmu
    finally:
        fmu.close()


def stepped(
    fmu: Imported, start: dict[str, Any], times: np.ndarray, names: list[str], inputs: Any = None
) -> np.ndarray:
    """Co-simulation: values by name at ``times``; ``inputs(t)`` is set before each step."""
    fmu.initialise(start)
    found = [fmu.get(*names)]
    for a, b in pairwise(times):
        if inputs is not None:
            fmu.set(inputs(a))
        fmu.fmu.doStep(a, b - a)
        found.append(fmu.get(*names))
    return np.array(found)


def exchanged(
    fmu: Imported, start: dict[str, Any], times: np.ndarray, names: list[str], rtol: float = 1e-11
) -> np.ndarray:
    """Model exchange with constant inputs: DOP853 of SciPy, roots of the event indicators on its interpolant."""
    fmu.initialise(start)
    model = fmu.fmu
    size = len(fmu.description.derivatives)
    model.enterEventMode()
    events = _events(fmu)
    states, rates = np.zeros(size), np.zeros(size)
    count = len(fmu.named("indicator["))
    marks = np.zeros(count)

    def now() -> np.ndarray:
        model.getContinuousStates(_pointer(states), size)
        return states.copy()

    def put(t: float, x: np.ndarray) -> None:
        model.setTime(t)
        model.setContinuousStates(_pointer(np.ascontiguousarray(x)), size)

    def rate(t: float, x: np.ndarray) -> np.ndarray:
        put(t, x)
        if fmu.three:
            model.getContinuousStateDerivatives(_pointer(rates), size)
        else:
            model.getDerivatives(_pointer(rates), size)
        return rates.copy()

    def indicators(t: float, x: np.ndarray) -> np.ndarray:
        put(t, x)
        model.getEventIndicators(_pointer(marks), count)
        return marks.copy()

    events()
    model.enterContinuousTimeMode()
    t, x, found, k = float(times[0]), now(), [], 0
    put(t, x)
    while k < len(times) and times[k] <= t:
        found.append(fmu.get(*names))
        k += 1
    while k < len(times):
        solver = DOP853(rate, t, x, times[-1], rtol=rtol, atol=rtol / 100, max_step=0.01)
        before = indicators(t, x)
        crossed = False
        while solver.status == "running" and not crossed:
            solver.step()
            path, after = solver.dense_output(), indicators(solver.t, solver.y)
            fell = np.flatnonzero(
                ((before > 0) & (after <= 0)) | ((before <= 0) & (after < np.minimum(before, 0) - 1e-14))
            )
            upto, x = solver.t, solver.y
            if len(fell):
                upto = min(_root(path, indicators, j, before[j]) for j in fell)
                x, crossed = path(upto), True
            while k < len(times) and times[k] <= upto:
                put(times[k], path(times[k]))
                found.append(fmu.get(*names))
                k += 1
            t, before = upto, after
        if crossed:
            put(t, x)
            model.enterEventMode()
            events()
            model.enterContinuousTimeMode()
            x = now()
    return np.array(found)


def _root(path: Any, indicators: Any, j: int, before: float) -> float:
    a, b = path.t_min, path.t_max
    if indicators(b, path(b))[j] > 0:
        return float(b)
    if before <= 0:
        span = b - a
        while span > 1e-9 * (b - a):
            span /= 2
            if indicators(a + span, path(a + span))[j] > 0:
                a, b = a + span, a + 2 * span
                break
        else:
            return float(a)
    return float(brentq(lambda s: indicators(s, path(s))[j], a, b, xtol=1e-15, rtol=1e-14))


def _events(fmu: Imported) -> Any:
    def settle() -> None:
        if fmu.three:
            fmu.fmu.updateDiscreteStates()
        else:
            fmu.fmu.newDiscreteStates()

    return settle


def _pointer(array: np.ndarray) -> Any:
    return array.ctypes.data_as(POINTER(c_double))
