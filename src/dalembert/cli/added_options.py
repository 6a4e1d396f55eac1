"""Options that several commands share, given to them as one value."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any


def evaluated(parameter: inspect.Parameter, command: Callable[..., Any]) -> inspect.Parameter:
    """The parameter with its annotation as an object, where it is written as text."""
    kind = parameter.annotation
    return parameter.replace(annotation=eval(kind, command.__globals__)) if isinstance(kind, str) else parameter


def with_options(
    command: Callable[..., None],
    name: str,
    options: dict[str, tuple[Any, Any]],
    gather: Callable[[dict[str, Any]], Any],
) -> Callable[..., None]:
    """``command`` with ``options`` at the end of its signature, of which ``gather`` makes the parameter ``name``."""
    own = [evaluated(p, command) for p in inspect.signature(command).parameters.values() if p.name != name]
    added = [
        inspect.Parameter(option, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for option, (kind, default) in options.items()
    ]

    @functools.wraps(command)
    def run(**values: Any) -> None:
        made = gather({option: values.pop(option, default) for option, (_, default) in options.items()})
        command(**values, **{name: made})

    shown = [*(p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own), *added]
    run.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in shown}
    del run.__wrapped__
    return run
