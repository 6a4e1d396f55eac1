"""``dalembert study``: many designs of an arm, from a study file; sensitivities, fronts, best designs, a page."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from dalembert.arm.errors import ArmError
from dalembert.report.html.page_files import page_file

from .notes import note
from .printing import heading, json_text, paragraph, say, table
from .reducing_bar import reducing_bar

if TYPE_CHECKING:
    from dalembert.markup.data_tables import DataTable
    from dalembert.studies.study_file import StudyFile
    from dalembert.studies.study_result import StudyResult

PAUSE = 10.0
"""Seconds between two lines of progress in a log."""
FRONT = 10
"""Designs of a Pareto front that are printed, in the order of its first goal."""


def study(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A study in TOML; with --numbers an arm, or a study for that of its arm."),
    ],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write all designs as .parquet or .csv.")
    ] = None,
    page: Annotated[
        Path | None, typer.Option("--page", metavar="FILE", help="Write a page with designs to brush.")
    ] = None,
    threads: Annotated[int | None, typer.Option("--threads", metavar="N", help="Work on N threads.")] = None,
    processes: Annotated[int | None, typer.Option("--processes", metavar="N", help="Work on N processes.")] = None,
    scheduler: Annotated[
        str, typer.Option("--scheduler", metavar="ADDRESS", help="Work on the Dask cluster of this scheduler.")
    ] = "",
    device: Annotated[
        str, typer.Option("--device", metavar="cpu|cuda", help="Where kernels run; cuda is an NVIDIA GPU.")
    ] = "cpu",
    function: Annotated[
        list[str] | None,
        typer.Option("--function", metavar="MODULE:NAME", help="One's own output, NAME(system) of a Python module."),
    ] = None,
    samples: Annotated[int | None, typer.Option("--samples", help="In place of the samples of the file.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="In place of the seed of the file.")] = None,
    numbers: Annotated[
        bool, typer.Option("--numbers", help="List all numbers of the arm that can be factors, by name.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="For programs: the summary as JSON.")] = False,
) -> None:
    """Run a study: factors of an arm varied over many designs, outputs of each; resumable after Ctrl-C."""
    if numbers:
        print_numbers(file, as_json)
        return
    if sum(x is not None and x != "" for x in (threads, processes, scheduler or None)) > 1:
        raise ArmError("--threads, --processes and --scheduler are three places to work; give one of them")
    from dalembert.api.study_loading import load_study
    from dalembert.studies.study_files import check_folder

    study_file = load_study(file)
    study_ = study_file.study
    own_outputs = [own_output(word) for word in function or ()]
    study_ = replace(
        study_, outputs=(*study_.outputs, *own_outputs), device=device,
        samples=study_.samples if samples is None else samples, seed=study_.seed if seed is None else seed,
    )  # fmt: skip
    study_file = replace(study_file, study=study_)
    study_file.check()
    if page is not None:
        check_folder(page)
        page_file(page)
    executor = "threads" if threads is not None else "processes" if processes is not None else "serial"
    bar = DesignsBar()
    try:
        with bar.bar:
            result = study_.run(
                output, executor=executor, workers=threads if threads is not None else processes,
                scheduler=scheduler or None, progress=bar,
            )  # fmt: skip
    except KeyboardInterrupt:
        if output is not None and bar.done:
            print(
                f"interrupted; {bar.done:,} of {bar.total:,} designs are kept beside {output}: the same command goes "
                "on", file=sys.stderr,
            )  # fmt: skip
        else:
            print(f"interrupted; {'no design was done yet' if output else 'nothing is kept'}", file=sys.stderr)
        raise
    best, fault = None, None  # type: Any, ArmError | KeyboardInterrupt | None
    try:
        best = optimum(study_file)
    except (ArmError, KeyboardInterrupt) as end:  # told last: what was worked out is shown and written first
        fault = end
    if page is not None:
        from dalembert.report.study_page import write_study_page

        write_study_page(result, page, study_file.pareto, study_file.budgets, best)
    tables, reasons = sensitivities(result, study_file)
    if as_json:
        print(json_text(record(result, study_file, tables, best) | {"without": reasons}))
    else:
        print_result(result, study_file, tables, best)
        for reason in reasons:
            paragraph(f"- {reason}")
    for path in (output, page):
        if path is not None:
            print(f"wrote {path}", file=sys.stderr if as_json else sys.stdout)
    if best is not None and best.interrupted:
        note("interrupted; this is the best design met so far that keeps the limits")
    if isinstance(fault, KeyboardInterrupt):
        print("interrupted while the best design was looked for; none is told", file=sys.stderr)
        raise fault
    if fault is not None:
        raise ArmError(f"{study_file.origin}: optimize: {fault}")
    if len(result) == len(result.failed) > 0:
        raise ArmError(f"{study_file.origin}: all {len(result):,} designs failed, for the reasons above")


def own_output(word: str) -> Any:
    """The output of a function that the command line names; no file can name one."""
    from dalembert.studies.outputs import Output

    module, colon, name = word.partition(":")
    if not colon or not module or not name.isidentifier():
        raise ArmError(f"--function is written as MODULE:NAME, as in mine:deflection, not {word!r}")
    if "" not in sys.path:
        sys.path.insert(0, "")  # modules of the folder that the command runs in, as for python -m
    try:
        function = getattr(import_module(module), name)
    except (Exception, SystemExit) as fault:  # a module of one's own may raise what it likes
        raise ArmError(
            f"--function {word}: cannot be imported ({type(fault).__name__}: {fault}); python -c 'import {module}' "
            "says where"
        ) from None
    if not callable(function):
        raise ArmError(f"--function {word}: is no function")
    return Output("own", name, function=function)


class DesignsBar:
    """Designs that are done: a bar on a terminal, a line now and then in a log.

    Until the first ones are, it only moves: kernels may be compiled before, and a chunk is done as a whole.
    """

    def __init__(self) -> None:
        console = Console(stderr=True)
        self.log = not console.is_terminal
        self.bar = Progress(
            TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), console=console, transient=True,
            disable=self.log,
        )  # fmt: skip
        self.task = self.bar.add_task("preparing", total=None)
        self.done = self.total = 0
        self.last = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        self.done, self.total = done, total
        if done:
            self.bar.update(self.task, description=f"{done:,} of {total:,} designs", completed=done, total=total)
        else:
            self.bar.update(self.task, description=f"kernels and first of {total:,} designs")
        if self.log and time.monotonic() - self.last > PAUSE:
            self.last = time.monotonic()
            print(f"study: {done:,} of {total:,} designs", file=sys.stderr, flush=True)


def optimum(study_file: StudyFile) -> Any:
    """The best design that the file asks for, or None."""
    if study_file.optimize is None:
        return None
    from dalembert.studies.optimum import optimize_design

    study_ = study_file.study
    with reducing_bar("best design") as tell:
        return optimize_design(
            study_.system, study_.factors, motion=study_.motion, seed=study_.seed, progress=tell, **study_file.optimize
        )


def sensitivities(result: StudyResult, study_file: StudyFile) -> tuple[list[DataTable], list[str]]:
    """Tables of sensitivities and of budgets that are asked for, and why some cannot be."""
    from dalembert.studies.study_tables import budget_tables, sensitivity_tables

    shares, budgets = sensitivity_tables(result), budget_tables(result, study_file.budgets)
    return [*shares[0], *budgets[0]], [*shares[1], *budgets[1]]


def print_result(result: StudyResult, study_file: StudyFile, tables: list[DataTable], best: Any) -> None:
    """The study on a terminal."""
    from dalembert.studies.study_tables import optimum_table

    say(
        f"{result.name}: {len(result):,} designs of {len(result.factors)} factors ({result.design}, seed {result.seed})"
    )
    for table_ in (result.table(), *tables):
        print_table(table_)
    for reason, count in result.reasons[:10]:
        paragraph(f"- {count:,} designs failed: {reason}")
    if study_file.pareto:
        front = result.pareto(study_file.pareto)
        goals = ", ".join(f"{goal} {name}" for name, goal in study_file.pareto.items())
        heading(f"Pareto front of {goals}: {len(front)} designs")
        units = dict(result.outputs) | {x.name: unit for x, unit in zip(result.factors, result.units, strict=True)}
        columns = [
            name for name in result.columns if name in study_file.pareto or name in [f.name for f in result.factors]
        ]
        first_goal = result.column(next(iter(study_file.pareto)))
        rows = front[first_goal[front].argsort(kind="stable")][:FRONT]
        cells = [[f"{result.column(name)[row]:.5g}" for row in rows] for name in columns]
        heads = [_headed(name, units[name]) for name in columns]
        table([("design", [str(row) for row in rows]), *zip(heads, cells, strict=True)])
        if len(front) > FRONT:
            paragraph(f"The first {FRONT} of them; --page draws the others, too.")
    if best is not None:
        print_table(optimum_table(best), f"Best design: {best.summary}")


def print_table(data_table: DataTable, caption: str = "") -> None:
    """A table of the page on the terminal."""
    heading(caption or data_table.caption)

    def cell(value: Any, kind: str) -> str:
        if value is None:
            return "-"
        if kind == "share":
            return f"{100 * value:.3g} %"
        return f"{value:.5g}" if isinstance(value, float) else str(value)

    table(
        [
            (
                f"{column.head}".strip() + (f" [{column.unit}]" if column.unit else ""),
                [cell(row[k], column.kind) for row in data_table.rows],
            )
            for k, column in enumerate(data_table.columns)
        ]
    )  # fmt: skip
    if data_table.note:
        paragraph(data_table.note)


def _headed(name: str, unit: str) -> str:
    return f"{name} [{unit}]" if unit not in ("", "1") else name


def record(result: StudyResult, study_file: StudyFile, tables: list[DataTable], best: Any) -> dict[str, Any]:
    """The summary, for JSON."""
    return {
        "study": result.name,
        "design": result.design,
        "seed": result.seed,
        "designs": len(result),
        "failed": len(result.failed),
        "reasons": [{"reason": reason, "designs": count} for reason, count in result.reasons],
        "outputs": result.table().records()["rows"],
        "tables": {data_table.name: data_table.records() for data_table in tables},
        "pareto": [int(row) for row in result.pareto(study_file.pareto)] if study_file.pareto else None,
        "best": None if best is None else {
            "objective": best.objective, "value": best.value, "before": best.before, "unit": best.unit,
            "factors": dict(best.values), "units": dict(best.units), "certified": best.certified,
            "converged": best.converged, "interrupted": best.interrupted, "active": list(best.active),
        },
    }  # fmt: skip


def print_numbers(file: str, as_json: bool) -> None:
    """All numbers that can be factors: those of an arm with its drives, or of the system of a study file."""
    from dalembert.api.study_loading import load_study, study_arm
    from dalembert.arm.io.text_files import read_text
    from dalembert.arm.io.toml_arm import is_mechanism
    from dalembert.mechanisms.mechanism_file import read_mechanism
    from dalembert.studies.design_numbers import design_numbers

    try:
        system: Any = load_study(file).study.system if file.endswith(".toml") else study_arm(file, "exact")
    except ArmError as fault:
        if not file.endswith(".toml"):
            raise
        try:
            mechanism = is_mechanism(read_text(Path(file)), file)
            system = read_mechanism(file) if mechanism else study_arm(file, "exact")
        except ArmError:
            raise fault from None
    factors = design_numbers(system).values()
    if as_json:
        print(json_text([{"name": x.name, "value": float(x.value), "unit": x.unit} for x in factors]))
        return
    table(
        [
            ("number", [x.name for x in factors]),
            ("value", [f"{float(x.value):.6g}" for x in factors]),
            ("unit", [x.unit for x in factors]),
        ]
    )
