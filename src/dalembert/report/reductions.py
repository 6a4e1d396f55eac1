"""Certified reductions, put in the form the section on reduced models takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..arm.errors import ArmError
from ..design.analysis import Analysis
from ..markup.data_tables import Rich
from ..markup.elements import Html, join, tag
from ..markup.numbers import drives_phrase
from ..reduction import reduced_model as reduction_model
from ..systems.arm_system import ArmSystem
from .sections import reduced_section as reduced
from .sections.equations_section import flowing, name_math

MOST_TERMS = 40
"""Terms of the longest coefficient of a reduced model that is typeset."""
CURVE = 6
"""Joints up to which the whole curve of error against operations is computed."""


def reductions(
    analysis: Analysis,
    loaded: Analysis | None,
    tolerances: Sequence[float],
    curve: bool,
    tell: Callable[[str], None],
) -> tuple[reduced.Reduction, list[reduction_model.ReducedModel]]:
    """The models at these tolerances, to show and as they are; ``loaded`` is the same with a load: each serves both.

    ``curve`` allows the curve of error against operations, up to ``CURVE`` joints.
    """
    models: list[reduction_model.ReducedModel] = []
    refused: list[str] = []
    for tolerance in tolerances:

        def follow(text: str, share: float, tolerance: float = tolerance) -> None:
            tell(f"reducing to {100 * tolerance:g} %: {text}")

        try:
            models.append(
                analysis.reduce(
                    tolerance,
                    others=(loaded,) if loaded is not None else (),
                    curve=curve and tolerance == min(tolerances) and analysis.n <= CURVE,
                    progress=follow,
                )
            )
            if models[-1].interrupted:
                raise KeyboardInterrupt  # a page tells of whole searches; what was done before is on it
            models[-1].prove_coefficients(follow)
        except ArmError as fault:
            refused.append(str(fault))
    points = front((point.operations, point.error) for model in models for point in model.curve)
    before = models[0].before.total if models else 0
    rows = tuple(view(model, loaded.system if loaded is not None else None) for model in models)
    return reduced.Reduction(before, rows, tuple(points), states_sentence(models), tuple(refused)), models


def front(points: object) -> list[tuple[float, float]]:
    """The models that no other beats in both operations and error, fewest operations first."""
    frontier: list[tuple[float, float]] = []
    for operations, error in sorted(set(points)):  # type: ignore[call-overload]
        if not frontier or error < frontier[-1][1]:
            frontier.append((float(operations), float(error)))
    return frontier


def states_sentence(models: Sequence[reduction_model.ReducedModel]) -> str:
    """The states and loads for which the errors are proved, as a sentence."""
    states = "Errors are proved for all states of the table of states above"
    states += f", {drives_phrase(models[0].system.counts_drives)}" if models else ""
    if models and models[0].loads:
        return f"{states}, and for the hand with {' and with '.join(models[0].loads)} and everything between."
    return f"{states}."


def view(model: reduction_model.ReducedModel, loaded: ArmSystem | None) -> reduced.ReducedRow:
    """One model as the section shows it."""
    loaded_values: dict[str, float] = {}
    if loaded is not None:
        load = dict(loaded.loads).get(loaded.tool_link)
        loaded_values = {name.replace("_", ""): value for name, value in model.with_load(load).items()}
    errors = tuple(
        reduced.CoefficientRow(row.name, row.unit, row.bound, row.found, row.rms) for row in model.coefficient_errors
    )
    constants = tuple(
        reduced.ConstantRow(
            row.name, row.value, loaded_values.get(row.name) if row.depends_on_load else None, row.definition
        )
        for row in model.constants
    )
    after = model.after
    return reduced.ReducedRow(
        model.tolerance,
        after.total,
        after.multiplications,
        after.additions,
        model.joint_errors,
        errors,
        equations(model),
        constants,
        model.asymmetry_text,
    )


def equations(model: reduction_model.ReducedModel) -> tuple[Rich, ...]:
    """The coefficients in the named constants, as the program has them: beside Bejczy 1974, Table 3."""
    equations_ = []
    for name, polynomial in sorted(model.equations.items(), key=lambda item: ("DCG".index(item[0][0]), item[0])):
        plain = f"{name} = {polynomial.text()}"
        if len(polynomial) <= MOST_TERMS:
            html = join([name_math(name), Html(" <math><mo>=</mo></math> "), flowing(polynomial)])
        else:
            html = join([name_math(name), tag("span", f": {len(polynomial)} terms")])
        equations_.append(Rich(plain, html))
    return tuple(equations_)
