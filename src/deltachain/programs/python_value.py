"""What Python itself makes of a constant expression: floats where it has floats, its own texts, its own errors.

Only for expressions that the language has already evaluated, within its limits: literals, operators, subscripts and
the language's builtins, in which nothing can be called that has an effect.
"""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from .scope import Builtin

_OPERATORS: dict[str, Callable[..., Any]] = {
    "Add": operator.add,
    "BitAnd": operator.and_,
    "BitOr": operator.or_,
    "BitXor": operator.xor,
    "Div": operator.truediv,
    "Eq": operator.eq,
    "FloorDiv": operator.floordiv,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "In": lambda left, right: left in right,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Mod": operator.mod,
    "Mult": operator.mul,
    "Not": operator.not_,
    "NotEq": operator.ne,
    "NotIn": lambda left, right: left not in right,
    "Pow": operator.pow,
    "Sub": operator.sub,
    "UAdd": operator.pos,
    "USub": operator.neg,
}


def python_value(node: ast.expr, look_up: Callable[[str], object]) -> Any:
    """The value of the expression in Python; ``look_up`` gives constants as they are, and builtins as `Builtin`.

    Raises what Python raises, and TypeError for what is no constant expression of the language.
    """

    def value(part: ast.expr) -> Any:
        return python_value(part, look_up)

    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            found = look_up(node.id)
            return _function(found) if isinstance(found, Builtin) else found
        case ast.Tuple():
            return tuple(map(value, node.elts))
        case ast.Dict():
            return {value(k): value(v) for k, v in zip(node.keys, node.values, strict=True) if k is not None}
        case ast.UnaryOp():
            return _OPERATORS[type(node.op).__name__](value(node.operand))
        case ast.BinOp():
            return _OPERATORS[type(node.op).__name__](value(node.left), value(node.right))
        case ast.IfExp():
            return value(node.body) if value(node.test) else value(node.orelse)
        case ast.Subscript(slice=ast.Slice() as cut):
            bounds = (None if bound is None else value(bound) for bound in (cut.lower, cut.upper, cut.step))
            return value(node.value)[slice(*bounds)]
        case ast.Subscript():
            return value(node.value)[value(node.slice)]
        case ast.JoinedStr():
            return "".join(map(value, node.values))
        case ast.FormattedValue():
            return str(value(node.value))
        case ast.Call():
            return value(node.func)(*map(value, node.args))
        case ast.Attribute(attr="Fraction"):
            return Fraction  # the one member of a module that is a builtin of the language
    return _decided(node, value)


def _decided(node: ast.expr, value: Callable[[ast.expr], Any]) -> Any:
    """The expressions that need not evaluate all their parts."""
    result: Any = None
    match node:
        case ast.BoolOp():
            for part in node.values:
                result = value(part)
                if bool(result) != isinstance(node.op, ast.And):
                    break
            return result
        case ast.Compare():
            left = value(node.left)
            for comparison, comparator in zip(node.ops, node.comparators, strict=True):
                right = value(comparator)
                result = _OPERATORS[type(comparison).__name__](left, right)
                if not result:
                    break
                left = right
            return result
    raise TypeError(f"{type(node).__name__} is not a constant expression")


def _function(found: Builtin) -> Any:
    return Fraction if found.name == "Fraction" else getattr(builtins, found.name)
