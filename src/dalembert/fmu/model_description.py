"""modelDescription.xml of an FMU, for FMI 2.0 and 3.0, and buildDescription.xml of the sources of FMI 3.0."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

from .fmu_model import FmuModel, FmuVariable
from .model_code import References, indicator_count
from .variable_names import UNITS, xml_line

TOOL = "dalembert"
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def _attributes(**values: object) -> str:
    return "".join(f" {name}={quoteattr(str(value))}" for name, value in values.items() if value is not None)


def number(value: float) -> str:
    """A number as XML has it, to the last bit."""
    return repr(float(value))


def units() -> str:
    """The definitions of all units."""
    definitions = []
    for name, exponents in UNITS.items():
        base = f"      <BaseUnit{_attributes(**exponents)}/>\n"
        definitions.append(f"    <Unit name={quoteattr(name)}>\n{base}    </Unit>")
    return "  <UnitDefinitions>\n" + "\n".join(definitions) + "\n  </UnitDefinitions>\n"


class DescribedVariables:
    """The variables of a model in the order of their value references; FMI 2.0 counts them from 1."""

    def __init__(self, model: FmuModel) -> None:
        self.model, self.at = model, References.of(model)
        self.size = len(model.states)
        self.coordinates = 2 * len(model.coordinates) + len(model.currents)

    def rows(self, three: bool) -> Iterator[str]:
        """Every variable as XML; ``three`` for FMI 3.0."""
        model, references = self.model, self.at
        time = FmuVariable("time", "s", "time")
        yield _variable(three, time, 0, "independent", "continuous", None)
        for k, row in enumerate(model.parameters.rows):
            yield _variable(three, row, references.parameter + k, "parameter", "fixed", "exact", start=row.start)
        for k, row in enumerate(model.states):
            # joints of closed loops follow from the coordinates
            initial = "exact" if k < self.coordinates else "calculated"
            start = row.start if initial == "exact" else None
            yield _variable(three, row, references.state + k, "output", "continuous", initial, start=start)
        for k, row in enumerate(model.states):
            unit = {"rad/s": "rad/s2", "m/s": "m/s2", "A": "A/s"}.get(row.unit, f"{row.unit}/s")
            rate = FmuVariable(f"der({row.name})", unit, f"rate of the {row.text}")
            state = references.state + k if three else references.state + k + 1
            yield _variable(three, rate, references.rate + k, "local", "continuous", "calculated", derivative=state)
        for k, row in enumerate(model.inputs):
            yield _variable(three, row, references.input + k, "input", "continuous", None, start=row.start)
        for k, row in enumerate(model.outputs):
            yield _variable(three, row, references.output + k, "output", "continuous", "calculated")
        for k in range(indicator_count(model)):
            row = FmuVariable(f"indicator[{k + 1}]", "", "falls through zero where the mode of the motion ends")
            yield _variable(three, row, references.indicator + k, "local", "continuous", "calculated")
        for k, row in enumerate(self.modes):
            yield _variable(three, row, references.contact + k, "output", "discrete", "calculated", kind="Integer")
        row = FmuVariable("stops", "", "whether the limits of the joints are solid stops")
        solid = "true" if model.stops else "false"
        yield _variable(three, row, references.stops, "parameter", "fixed", "exact", start=solid, kind="Boolean")

    @property
    def modes(self) -> list[FmuVariable]:
        """Which contacts slide which way, which joints lean on a stop."""
        leaning = [
            FmuVariable(f"at_stop.{c.name}", "", f"1 or -1 while {c.label} leans on its upper or lower stop, else 0")
            for c in self.model.coordinates
        ]
        return [*self.model.contacts, *leaning]

    @property
    def outputs(self) -> list[int]:
        """Value references of all outputs."""
        model, references = self.model, self.at
        continuous = [
            *range(references.state, references.state + self.size),
            *range(references.output, references.output + len(model.outputs)),
        ]
        return [*continuous, *range(references.contact, references.stops)]

    @property
    def rates(self) -> list[int]:
        """Value references of the derivatives of the states."""
        return list(range(self.at.rate, self.at.rate + self.size))

    @property
    def initial(self) -> list[int]:
        """Value references of what initialisation finds."""
        joints = set(range(self.at.state, self.at.state + self.coordinates))
        return sorted(({*self.outputs} - joints) | {*self.rates})


def _variable(
    three: bool, row: FmuVariable, reference: int, causality: str, variability: str, initial: str | None,
    start: object = None, derivative: int | None = None, kind: str = "Real",
) -> str:  # fmt: skip
    """One variable."""
    begin = number(start) if isinstance(start, float) else start
    common = {"name": row.name, "valueReference": reference, "causality": causality, "variability": variability}
    common |= {"initial": initial, "description": xml_line(row.text)}
    typed = {"unit": row.unit or None if kind == "Real" else None, "start": begin, "derivative": derivative}
    if three:
        element = {"Real": "Float64", "Integer": "Int32", "Boolean": "Boolean"}[kind]
        return f"    <{element}{_attributes(**common, **typed)}/>"
    return f"    <ScalarVariable{_attributes(**common)}>\n      <{kind}{_attributes(**typed)}/>\n    </ScalarVariable>"


def description_2(model: FmuModel, identifier: str, token: str, made_by: str, files: tuple[str, ...]) -> str:
    """modelDescription.xml of FMI 2.0."""
    variables = DescribedVariables(model)
    listed = "".join(f"      <File name={quoteattr(name)}/>\n" for name in files)
    sources = f"    <SourceFiles>\n{listed}    </SourceFiles>\n"
    capabilities = _attributes(
        modelIdentifier=identifier, canGetAndSetFMUstate="true", canSerializeFMUstate="true",
        needsExecutionTool="false", providesDirectionalDerivative="true",
    )  # fmt: skip
    head = _attributes(
        fmiVersion="2.0", modelName=xml_line(model.title), guid=token, description=xml_line(_text(model)),
        generationTool=made_by, variableNamingConvention="structured",
        numberOfEventIndicators=indicator_count(model),
    )  # fmt: skip

    def unknowns(name: str, references: list[int]) -> str:
        rows = "".join(f'      <Unknown index="{reference + 1}"/>\n' for reference in references)
        return f"    <{name}>\n{rows}    </{name}>\n" if references else ""

    return (
        f"{HEAD}<fmiModelDescription{head}>\n"
        f"  <ModelExchange{capabilities}>\n{sources}  </ModelExchange>\n"
        f'  <CoSimulation{capabilities} canHandleVariableCommunicationStepSize="true">\n{sources}  </CoSimulation>\n'
        f"{units()}"
        f'  <DefaultExperiment startTime="0.0" stopTime="1.0" tolerance="1e-8" stepSize="0.01"/>\n'
        f"  <ModelVariables>\n" + "\n".join(variables.rows(False)) + "\n  </ModelVariables>\n"
        "  <ModelStructure>\n"
        f"{unknowns('Outputs', variables.outputs)}{unknowns('Derivatives', variables.rates)}"
        f"{unknowns('InitialUnknowns', variables.initial)}"
        "  </ModelStructure>\n</fmiModelDescription>\n"
    )


def description_3(model: FmuModel, identifier: str, token: str, made_by: str) -> str:
    """modelDescription.xml of FMI 3.0."""
    variables = DescribedVariables(model)
    capabilities = _attributes(
        modelIdentifier=identifier, canGetAndSetFMUState="true", canSerializeFMUState="true",
        providesDirectionalDerivatives="true",
    )  # fmt: skip
    head = _attributes(
        fmiVersion="3.0", modelName=xml_line(model.title), instantiationToken=token, description=xml_line(_text(model)),
        generationTool=made_by, variableNamingConvention="structured",
    )  # fmt: skip

    def unknowns(name: str, references: list[int]) -> str:
        return "".join(f'    <{name} valueReference="{reference}"/>\n' for reference in references)

    references_ = variables.at
    indicators = list(range(references_.indicator, references_.indicator + indicator_count(model)))
    return (
        f"{HEAD}<fmiModelDescription{head}>\n"
        f"  <ModelExchange{capabilities}/>\n"
        f'  <CoSimulation{capabilities} canHandleVariableCommunicationStepSize="true"/>\n'
        f"{units()}"
        f'  <DefaultExperiment startTime="0.0" stopTime="1.0" tolerance="1e-8" stepSize="0.01"/>\n'
        f"  <ModelVariables>\n" + "\n".join(variables.rows(True)) + "\n  </ModelVariables>\n"
        "  <ModelStructure>\n"
        f"{unknowns('Output', variables.outputs)}{unknowns('ContinuousStateDerivative', variables.rates)}"
        f"{unknowns('InitialUnknown', variables.initial)}{unknowns('EventIndicator', indicators)}"
        "  </ModelStructure>\n</fmiModelDescription>\n"
    )


def build_description(identifier: str, files: tuple[str, ...]) -> str:
    """buildDescription.xml: what to compile."""
    listed = "".join(f"      <SourceFile name={quoteattr(name)}/>\n" for name in files)
    return (
        f'{HEAD}<fmiBuildDescription fmiVersion="3.0">\n'
        f"  <BuildConfiguration modelIdentifier={quoteattr(identifier)}>\n"
        f'    <SourceFileSet language="C99">\n{listed}    </SourceFileSet>\n'
        '    <Library name="m"/>\n'
        "  </BuildConfiguration>\n</fmiBuildDescription>\n"
    )


def _text(model: FmuModel) -> str:
    count = len(model.coordinates)
    return f"{count} coordinate{'s' if count != 1 else ''}, input: {model.input_kind}"
