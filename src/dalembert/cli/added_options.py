"""Options that several commands share, given to them as one value."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any


def evaluated(parameter: inspect.Parameter, command: Callable[..., Any]) -> inspect.Parameter:
    """The parameter with its annotation as an object, where it is written as text."""
    annotation = parameter.annotation
    return (
        parameter.replace(annotation=eval(annotation, command.__globals__))
        if isinstance(annotation, str)
        else parameter
    )


def with_options(
    command: Callable[..., None],
    name: str,
    options: dict[str, tuple[Any, Any]],
    gather: Callable[[dict[str, Any]], Any],
) -> Callable[..., None]:
    """``command`` with ``options`` at the end of its signature, of which ``gather`` makes the parameter ``name``."""
    own_parameters = [evaluated(p, command) for p in inspect.signature(command).parameters.values() if p.name != name]
    added = [
        inspect.Parameter(option, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for option, (annotation, default) in options.items()
    ]

    @functools.wraps(command)
    def run(**values: Any) -> None:
        gathered = gather({option: values.pop(option, default) for option, (_, default) in options.items()})
        command(**values, **{name: gathered})

    parameters = [*(p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own_parameters), *added]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    del run.__wrapped__
    return run
