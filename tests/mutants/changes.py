"""The small faults that are put into a source file, one at a time."""

import ast
from collections.abc import Callable
from dataclasses import dataclass

COMPARED = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt), ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
}  # fmt: skip
COUNTED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip
NAMED = {"min": "max", "max": "min", "any": "all", "all": "any"}
UNSEEN = {"annotation", "returns", "decorator_list", "type_params", "bases"}
"""Fields of the tree that say nothing about what the program does."""
NO_MUTANTS = (ast.Import, ast.ImportFrom, ast.Assert)


@dataclass(frozen=True)
class Mutant:
    """A fault: ``apply`` puts it into ``tree``."""

    name: str
    path: str
    function: str
    lines: frozenset[int]
    tree: ast.Module
    apply: Callable[[], None]


@dataclass(frozen=True)
class _Place:
    names: tuple[str, ...] = ()
    function: str = ""
    statement: ast.stmt | None = None


def mutants_of(path, source):
    """Return every mutant of a file; ``function`` is empty for what runs when it is imported."""
    tree = ast.parse(source)
    found, seen = [], {}
    for change, place in _changes(tree, _Place()):
        parent, field, index, new = change
        old = _get(parent, field, index)
        before = _shown(place.statement)
        _put(parent, field, index, new)
        name = f"{path} {'.'.join(place.names)}: {_difference(before, _shown(place.statement))}"
        _put(parent, field, index, old)
        seen[name] = seen.get(name, 0) + 1
        name += f" #{seen[name]}" if seen[name] > 1 else ""
        apply = lambda c=change: _put(*c)  # noqa: E731
        lines = frozenset(_lines(place.statement))
        found.append(Mutant(name, str(path), place.function, lines, tree, apply))
    return found


def _get(parent, field, index):
    value = getattr(parent, field)
    return value if index is None else value[index]


def _put(parent, field, index, new):
    if index is None:
        setattr(parent, field, new)
    else:
        getattr(parent, field)[index] = new


def _lines(statement):
    body = getattr(statement, "body", None)
    last = body[0].lineno - 1 if isinstance(body, list) else statement.end_lineno
    return range(statement.lineno, max(statement.lineno, last) + 1)


def _shown(statement):
    return ast.unparse(ast.fix_missing_locations(statement))


def _difference(one, other):
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    end = 0
    while end < min(len(one), len(other)) - start and one[-1 - end] == other[-1 - end]:
        end += 1
    old, new = one[start : len(one) - end], other[start : len(other) - end]
    ahead, behind = one[max(0, start - 40) : start], one[len(one) - end :][:25]
    return " ".join(f"{ahead}[{old} -> {new}]{behind}".split())


def _changes(node, place):
    for field, value in ast.iter_fields(node):
        if field in UNSEEN:
            continue
        several = isinstance(value, list)
        for number, child in enumerate(value) if several else [(None, value)]:
            if not isinstance(child, ast.AST) or isinstance(child, NO_MUTANTS) or _is_text(child):
                continue
            inner = _inside(node, field, child, place)
            for new in _replacements(child, inner):
                located = ast.copy_location(new, child)
                yield (node, field, number, ast.fix_missing_locations(located)), inner
            yield from _changes(child, inner)
            if isinstance(child, ast.Call):
                for k in range(len(child.keywords)):
                    yield (
                        (child, "keywords", None, child.keywords[:k] + child.keywords[k + 1 :]),
                        inner,
                    )


def _is_text(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _inside(node, field, child, place):
    if isinstance(node, ast.FunctionDef) and field == "body" and not place.function:
        place = _Place(place.names, ".".join(place.names), place.statement)
    if isinstance(child, ast.FunctionDef | ast.ClassDef):
        return _Place((*place.names, child.name), place.function, child)
    if not isinstance(child, ast.stmt):
        return place
    names = place.names
    if not place.function and isinstance(child, ast.Assign | ast.AnnAssign):
        target = child.target if isinstance(child, ast.AnnAssign) else child.targets[0]
        names = (*names, ast.unparse(target))
    return _Place(names, place.function, child)


def _replacements(node, place):
    yield from _other_operators(node)
    yield from _other_calls(node)
    yield from _other_statements(node)
    if isinstance(node, ast.Constant) and not isinstance(place.statement, ast.Raise):
        yield from map(ast.Constant, _other_values(node.value, at_import=not place.function))


def _other_operators(node):
    match node:
        case ast.Compare(left=left, ops=[op], comparators=comparators):
            for other in COMPARED.get(type(op), ()):
                yield ast.Compare(left, [other()], comparators)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in COUNTED:
            yield ast.BinOp(left, COUNTED[type(op)](), right)
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(ast.And() if isinstance(op, ast.Or) else ast.Or(), values)
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield operand
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            negated = ast.copy_location(ast.UnaryOp(ast.Not(), test), test)
            yield type(node)(**dict(ast.iter_fields(node)) | {"test": negated})


def _other_calls(node):
    match node:
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in NAMED:
            yield ast.Call(ast.Name(NAMED[name], ast.Load()), args, keywords)
        case ast.Call(func=ast.Name(), args=[only], keywords=[]) if not isinstance(
            only, ast.Starred
        ):
            yield only
        case ast.Call(func=ast.Attribute(value=value), args=[], keywords=[]):
            yield value


def _other_statements(node):
    match node:
        case ast.comprehension(target=target, iter=many, ifs=[_, *rest]):
            yield ast.comprehension(target, many, rest, 0)
        case ast.Return(value=value) if value and not _is_none(value):
            yield ast.Return(ast.Constant(None))
        case ast.Expr() | ast.AugAssign() | ast.Raise() | ast.Delete():
            yield ast.Pass()
        case ast.Break():
            yield ast.Continue()
        case ast.Continue():
            yield ast.Break()


def _is_none(node):
    return isinstance(node, ast.Constant) and node.value is None


def _other_values(value, *, at_import):
    match value:
        case bool():
            yield not value
        case int():
            yield from (value + 1, value - 1)
        case float():
            yield from (value * 1.5 + 0.01, value / 2 - 0.01)
        case str() if at_import and len(value.split()) > 2:  # a table of words: without one of them
            said = value.split(" ")
            yield from (" ".join(said[:at] + said[at + 1 :]) for at in {0, len(said) // 2})
        case str() if at_import and len(value) > 1:
            yield from (value[:at] + value[at + 1 :] for at in {0, len(value) // 2})
        case str():
            yield value + "x"
