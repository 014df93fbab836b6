"""YAML that remembers its lines, and the check of its keys against a declared shape."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from .problems import Problem, one_of


class Lines(dict[str, Any]):
    """A mapping read from YAML; `line` is where it starts, `at(key)` where a key stands."""

    line: int = 1
    lines: dict[str, int]

    def at(self, key: str) -> int:
        return self.lines.get(key, self.line)


class _Loader(yaml.CSafeLoader):
    offset = 0


def _mapping(loader: _Loader, node: yaml.MappingNode) -> Lines:
    made = Lines()
    made.line = node.start_mark.line + 1 + loader.offset
    made.lines = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, Hashable) or key in made:
            raise yaml.constructor.ConstructorError(None, None, f"the key “{key}” stands twice", key_node.start_mark)
        made[str(key)] = loader.construct_object(value_node, deep=True)
        made.lines[str(key)] = key_node.start_mark.line + 1 + loader.offset
    return made


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def read_yaml(path: Path, text: str, problems: list[Problem], offset: int = 0) -> Lines:
    """Parse one YAML mapping; a fault is added to `problems` and an empty mapping returned."""
    loader: _Loader | None = None
    try:
        loader = _Loader(text)
        loader.offset = offset
        made = loader.get_single_data()
    # beside its own errors it lets through what it meets in a value: a date that is none, an !!int without digits
    except (yaml.YAMLError, ValueError, IndexError, KeyError, TypeError, AttributeError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = (mark.line + 1 if mark else 1) + offset
        problems.append(
            Problem(
                path,
                line,
                f"this is not valid YAML: {getattr(error, 'problem', None) or error}",
                "quote text that holds a colon or a #, and indent lists by two spaces",
            )
        )
        made = None
    finally:
        if loader is not None:
            loader.dispose()
    if isinstance(made, Lines):
        return made
    if made is not None:
        problems.append(Problem(path, 1 + offset, "expected key: value lines", "write each setting as `key: value`"))
    empty = Lines()
    empty.lines = {}
    return empty


def split_page(path: Path, text: str, problems: list[Problem]) -> tuple[Lines, str, int]:
    """Return a page's front matter, its body, and the line that the body starts on."""
    lines = text.split("\n")
    if lines[0].strip() != "---" or "---" not in (line.strip() for line in lines[1:]):
        problems.append(
            Problem(
                path,
                1,
                "the page has no front matter",
                "start it with a line `---`, the settings, and another line `---`",
            )
        )
        empty = Lines()
        empty.lines = {}
        return empty, text, 1
    end = next(number for number, line in enumerate(lines) if number and line.strip() == "---")
    meta = read_yaml(path, "\n".join(lines[1:end]), problems, offset=1)
    return meta, "\n".join(lines[end + 1 :]), end + 2


@dataclass(frozen=True)
class Key:
    """What one key may hold. `kind`: text, int, number, bool, texts, mapping, maps, any."""

    kind: str = "text"
    required: bool = False
    choices: tuple[str, ...] = ()
    keys: Mapping[str, Key] = field(default_factory=dict)


_KINDS = {
    "text": "a text",
    "int": "a whole number",
    "number": "a number",
    "bool": "true or false",
    "texts": "a list of texts",
    "mapping": "a block of key: value lines",
    "maps": "a list of blocks of key: value lines",
}


def _fits(value: Any, kind: str) -> bool:
    match kind:
        case "text":
            return isinstance(value, str) and bool(value.strip())
        case "int":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "bool":
            return isinstance(value, bool)
        case "texts":
            return isinstance(value, list) and all(isinstance(item, str) and item.strip() for item in value)
        case "mapping":
            return isinstance(value, Lines)
        case "maps":
            return isinstance(value, list) and all(isinstance(item, Lines) for item in value)
    return True


def check_keys(path: Path, found: Lines, shape: Mapping[str, Key], problems: list[Problem], what: str) -> None:
    """Add a problem for each unknown, missing or ill-typed key of `found`; go into blocks that declare their keys."""
    for name in found:
        if name not in shape:
            problems.append(Problem(path, found.at(name), f"unknown key “{name}” in {what}", one_of(shape, name)))
    for name, key in shape.items():
        if name not in found:
            if key.required:
                problems.append(Problem(path, found.line, f"{what} has no “{name}”", f"add `{name}:`"))
            continue
        value, line = found[name], found.at(name)
        if not _fits(value, key.kind):
            problems.append(
                Problem(
                    path,
                    line,
                    f"“{name}” in {what} is not {_KINDS[key.kind]}",
                    f"write {_KINDS[key.kind]} (quotes make a text of a number)",
                )
            )
        elif key.choices and value not in key.choices:
            problems.append(Problem(path, line, f"“{name}: {value}” is not known", one_of(key.choices, str(value))))
        elif key.keys and key.kind == "maps":
            for item in value:
                check_keys(path, item, key.keys, problems, f"an entry of “{name}”")
        elif key.keys and key.kind == "mapping":
            check_keys(path, value, key.keys, problems, f"“{name}”")
