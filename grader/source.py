"""What can be said about a submission without running it: size, encoding, syntax, entry points, forbidden imports."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass

from grader.catalog import Lab


@dataclass(frozen=True)
class Refusal:
    """Why a submission is not run: one sentence with the cure, and the place in the source if there is one."""

    message: str
    traceback: str = ""


def examine(source: bytes, lab: Lab) -> Refusal | None:
    """Return why `source` cannot be run as this lab's submission, or None. Nothing of it is executed."""
    wanted = " and ".join(f"{name}()" for name in lab.entry_points)
    if not source.strip():
        return Refusal(f"The file is empty. Define {wanted}; the starter shows how.")
    if len(source) > lab.source_limit_bytes:
        limit = lab.source_limit_bytes // 1024
        return Refusal(
            f"The file has {len(source):,} bytes; the limit is {limit} KiB. Submit one module of source code."
        )
    if b"\0" in source:
        line = source[: source.index(b"\0")].count(b"\n") + 1
        return Refusal(f"Line {line} holds a NUL byte, which Python source cannot. Was a binary file uploaded?")
    try:
        text = source.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = source[: error.start].count(b"\n") + 1
        return Refusal(
            f"Line {line} is not UTF-8 (byte 0x{source[error.start]:02x}). Save the file as UTF-8 and submit again."
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text, "submission.py")
    except SyntaxError as error:
        caret = f"line {error.lineno}: {(error.text or '').rstrip()}" if error.lineno else ""
        return Refusal(f"This is not a Python module. Line {error.lineno}: {error.msg}.", caret)
    except (RecursionError, MemoryError, ValueError):
        return Refusal("This is not a Python module that can be parsed: it is nested too deeply.")
    if missing := [name for name in lab.entry_points if name not in _bound_names(tree)]:
        names = " and ".join(f"{name}()" for name in missing)
        return Refusal(f"The module does not define {names} at its top level. The lab calls {wanted}.")
    return None


def forbidden_imports(source: bytes, lab: Lab) -> list[tuple[str, int]]:
    """Return (name, line) for every use of a module or function that the lab asks to do without."""
    found = []
    tree = ast.parse(source.decode("utf-8-sig"))
    short = _short_names(tree)
    for node in ast.walk(tree):
        for name in _names_used(node, short):
            line = getattr(node, "lineno", 0)
            found += [(bad, line) for bad in lab.forbidden_imports if name == bad or name.startswith(f"{bad}.")]
    return sorted(set(found), key=lambda pair: pair[1])


def _short_names(tree: ast.Module) -> dict[str, str]:
    """Map the names that imports give to modules and what is in them to the full ones: F, to torch.nn.functional."""
    short: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                short |= {alias.asname: alias.name for alias in names if alias.asname}
            case ast.ImportFrom(module=str() as module, names=names):
                short |= {alias.asname or alias.name: f"{module}.{alias.name}" for alias in names}
            case _:
                pass
    return short


def _names_used(node: ast.AST, short: dict[str, str]) -> list[str]:
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=module, names=names) if module:
            return [module, *(f"{module}.{alias.name}" for alias in names)]
        case ast.Attribute():
            first, _, rest = _dotted(node).partition(".")
            return [f"{short.get(first, first)}.{rest}"]
        case _:
            return []


def _dotted(node: ast.expr) -> str:
    """Return `a.b.c` for a chain of names and attributes, else an empty string. A loop: chains can be very long."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _bound_names(tree: ast.Module) -> set[str]:
    """Names that the module's top level may bind, `import *` aside; running it shows the rest."""
    names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case ast.alias(name=name, asname=asname):
                names.add(asname or name.partition(".")[0])
            case ast.Constant(value=str() as text):
                names.add(text)  # globals()["checkpoint"] = …
            case _:
                pass
    return names
