"""Expressions of xacro, ``${...}``: a part of Python's, read by Python's parser, worked out here, never executed.

Numbers, strings, names, ``+ - * / // % **``, comparisons, ``and or not``, ``a if c else b``, entries of tables
(``limits['elbow'].upper``) and the functions below. All else is refused by name: calls of other things, lambdas.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ..errors import ArmError
from .expression import shown

Value: TypeAlias = Any
"""A truth, a number or a text; or a table or a list, as a YAML file has them."""
PLAIN = (bool, int, float, str)
LONGEST = 1000
"""Longest expression (characters)."""
LARGEST = 10**30
LONGEST_TEXT = 2000
LARGEST_EXPONENT = 400


def _rounded(number: Any, digits: Any = None) -> Any:
    """Python's ``round``, which writes out a power of ten with as many digits as it is asked for."""
    if digits is not None and not -LARGEST_EXPONENT <= digits <= LARGEST_EXPONENT:
        raise ValueError(f"{shown(digits)} digits are none that a number has")
    return round(number, digits)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan,
    "atan2": math.atan2, "sqrt": math.sqrt, "radians": math.radians, "degrees": math.degrees, "exp": math.exp,
    "log": math.log, "floor": math.floor, "ceil": math.ceil, "fabs": math.fabs, "hypot": math.hypot, "pow": math.pow,
    "abs": abs, "min": min, "max": max, "round": _rounded, "int": int, "float": float, "str": str, "bool": bool,
    "len": len,
}  # fmt: skip
OF_TEXTS: dict[str, Callable[..., Value]] = {
    "split": str.split, "strip": str.strip, "lower": str.lower, "upper": str.upper, "startswith": str.startswith,
    "endswith": str.endswith,
}  # fmt: skip
"""What texts may be asked."""
CONSTANTS: dict[str, Value] = {
    "pi": math.pi, "e": math.e, "tau": math.tau, "True": True, "False": False, "true": True, "false": False,
}  # fmt: skip
BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
}  # fmt: skip
COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip


def evaluated(text: str, names: Mapping[str, Value], what: str) -> Value:
    """The value of an expression with these names."""
    if len(text) > LONGEST:
        raise ArmError(f"{what}: an expression is longer than {LONGEST} characters; shorten it")
    try:
        tree = ast.parse(text.strip(), mode="eval")
        return _value(tree.body, names, what)
    except ArmError:
        raise
    except (SyntaxError, ValueError, TypeError, ArithmeticError, RecursionError, MemoryError) as fault:
        message = fault.msg if isinstance(fault, SyntaxError) else str(fault) or type(fault).__name__
        raise ArmError(f"{what}: ${{{shown(text)[1:-1]}}} cannot be worked out ({message[:100]}); mend it") from None


def _value(node: ast.expr, names: Mapping[str, Value], what: str) -> Value:
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float | str):
        return _bounded(node.value, what)
    if isinstance(node, ast.Name):
        if node.id in names:
            value = names[node.id]
            return _bounded(value, what) if isinstance(value, str) else value
        if node.id in CONSTANTS:
            return CONSTANTS[node.id]
        raise ArmError(f"{what}: there is no property {shown(node.id)}; define it before it is used")
    if isinstance(node, ast.UnaryOp):
        value = _value(node.operand, names, what)
        if isinstance(node.op, ast.Not):
            return not value
        if isinstance(value, str) or isinstance(node.op, ast.Invert):
            raise ArmError(f"{what}: a sign stands before {shown(str(value))}, which is no number")
        return -value if isinstance(node.op, ast.USub) else +value
    if isinstance(node, ast.BinOp):
        return _bounded(_binary(node, names, what), what)
    if isinstance(node, ast.BoolOp):
        decisive = isinstance(node.op, ast.Or)
        result: Value = not decisive
        for part in node.values:
            result = _value(part, names, what)
            if bool(result) == decisive:
                break
        return result
    if isinstance(node, ast.Compare):
        left = _value(node.left, names, what)
        for op, part in zip(node.ops, node.comparators, strict=True):
            right = _value(part, names, what)
            if type(op) not in COMPARED:
                raise ArmError(f"{what}: '{type(op).__name__.lower()}' is not read in expressions of xacro")
            if not COMPARED[type(op)](left, right):
                return False
            left = right
        return True
    if isinstance(node, ast.IfExp):
        return _value(node.body if _value(node.test, names, what) else node.orelse, names, what)
    if isinstance(node, ast.Call):
        return _called(node, names, what)
    if isinstance(node, ast.Attribute | ast.Subscript):
        key = node.attr if isinstance(node, ast.Attribute) else _value(node.slice, names, what)
        entry = _entry(_value(node.value, names, what), key, what)
        return _bounded(entry, what) if isinstance(entry, int | str) else entry
    kind = "a function" if isinstance(node, ast.Lambda) else type(node).__name__
    raise ArmError(
        f"{what}: {kind} in an expression is not read here, for safety; run xacro on the file and load its .urdf"
    )


def _binary(node: ast.BinOp, names: Mapping[str, Value], what: str) -> Value:
    left, right = _value(node.left, names, what), _value(node.right, names, what)
    if isinstance(node.op, ast.Pow):
        if isinstance(left, str) or isinstance(right, str):
            raise ArmError(f"{what}: a power of a text cannot be worked out; mend it")
        small = isinstance(left, int) and isinstance(right, int) and 0 <= right <= 64 and abs(left) <= 1000
        return int(left) ** int(right) if small else math.pow(left, right)
    if type(node.op) not in BINARY:
        raise ArmError(f"{what}: '{type(node.op).__name__}' is not read in expressions of xacro")
    texts = isinstance(left, str), isinstance(right, str)
    if not isinstance(left, PLAIN) or not isinstance(right, PLAIN):
        raise ArmError(f"{what}: there is no arithmetic on a table; name an entry of it")
    if any(texts) and not (all(texts) and isinstance(node.op, ast.Add)):
        raise ArmError(f"{what}: {shown(left)} and {shown(right)} cannot be combined by this operator; one is a text")
    return BINARY[type(node.op)](left, right)


def _called(node: ast.Call, names: Mapping[str, Value], what: str) -> Value:
    name = node.func.id if isinstance(node.func, ast.Name) else ast.unparse(node.func)
    plain = name.removeprefix("math.")
    calls: Mapping[str, Callable[..., Value]] = getattr(names, "calls", {})
    if name in calls and not node.keywords:
        return calls[name](*(_value(part, names, what) for part in node.args))
    if isinstance(node.func, ast.Attribute) and node.func.attr in OF_TEXTS and not node.keywords:
        owner = _value(node.func.value, names, what)
        if isinstance(owner, str):
            return OF_TEXTS[node.func.attr](owner, *(_value(part, names, what) for part in node.args))
    if plain not in FUNCTIONS or node.keywords:
        raise ArmError(
            f"{what}: {shown(name)} is not called here, for safety; run xacro on the file and load the .urdf it gives"
        )
    return _bounded(FUNCTIONS[plain](*(_value(part, names, what) for part in node.args)), what)


def _entry(table: Value, key: Value, what: str) -> Value:
    """An entry of a table or a list of a YAML file; of nothing else."""
    if isinstance(table, dict) and isinstance(key, str | int):
        if key in table:
            return table[key]
        raise ArmError(f"{what}: there is no entry {shown(key)} among {shown(list(table))}")
    if isinstance(table, list) and isinstance(key, int) and 0 <= key < len(table):
        return table[key]
    raise ArmError(f"{what}: {shown(str(table))} has no entry {shown(key)}; only tables of YAML files have entries")


def _bounded(value: Value, what: str) -> Value:
    """The value, refused where it grows without end."""
    if isinstance(value, str):
        if len(value) > LONGEST_TEXT:
            raise ArmError(f"{what}: an expression gives a text of {len(value)} characters; shorten it")
    elif not isinstance(value, int | float):
        raise ArmError(f"{what}: {shown(str(value))} is neither a number nor a text; mend the expression")
    elif isinstance(value, int) and abs(value) > LARGEST:
        raise ArmError(f"{what}: an expression gives a number beyond 1e30; mend it")
    return value
