"""Read environment variables into typed values, and refuse nonsense.

Every reader takes the variable's name and a default; without a default the variable is required. A variable set to
the empty string counts as not set, as in most shells and compose files. Anything that cannot be read as what was
asked for raises `BadEnvironment`, whose message names the variable, its value and what was expected.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

TRUE: Final = ("1", "true", "yes", "on")
FALSE: Final = ("0", "false", "no", "off")
REQUIRED: Final[Any] = object()


class BadEnvironment(SystemExit):
    """Ends the process with one sentence on stderr and status 1, wherever the settings are first read.

    It is a `SystemExit` so that manage.py, celery and gunicorn all end the same way without each catching it.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(f"headroom cannot start: {sentence}")


class Env:
    """Typed readers over a mapping of environment variables."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values

    def text(self, name: str, default: Any = REQUIRED, *, secret: bool = False, least: int = 0) -> str:
        """Return the variable as text of at least `least` characters. A `secret` value is not repeated in the error."""
        raw = self._raw(name)
        if raw is None:
            return self._missing(name, default, f"text of at least {least} characters" if least else "text")
        if len(raw) < least:
            raise self._refuse(
                name, "a shorter text" if secret else raw, f"at least {least} characters", quote=not secret
            )
        return raw

    def flag(self, name: str, default: Any = REQUIRED) -> bool:
        """Return True for 1, true, yes, on and False for 0, false, no, off, in any case."""
        expected = "one of " + ", ".join(TRUE + FALSE)
        raw = self._raw(name)
        if raw is None:
            return self._missing(name, default, expected)
        if raw.lower() in TRUE:
            return True
        if raw.lower() in FALSE:
            return False
        raise self._refuse(name, raw, expected)

    def integer(self, name: str, default: Any = REQUIRED, *, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`, both included; digits only (no 1e3, 1_000 or 1.0)."""
        expected = f"a whole number from {low} to {high}"
        raw = self._raw(name)
        if raw is None:
            return self._missing(name, default, expected)
        digits = raw.removeprefix("-")
        # isdecimal alone would let digits of other scripts through.
        if not (digits.isascii() and digits.isdecimal() and len(digits) <= 18 and low <= int(raw) <= high):
            raise self._refuse(name, raw, expected)
        return int(raw)

    def choice(self, name: str, choices: Sequence[str], default: Any = REQUIRED) -> str:
        """Return one of `choices`, exactly as written there."""
        expected = "one of " + ", ".join(choices)
        raw = self._raw(name)
        if raw is None:
            return self._missing(name, default, expected)
        if raw not in choices:
            raise self._refuse(name, raw, expected)
        return raw

    def names(self, name: str, default: Any = REQUIRED) -> list[str]:
        """Return a list written with commas between its entries; spaces around an entry are dropped."""
        expected = "names with commas between them, such as a.example,b.example"
        raw = self._raw(name)
        if raw is None:
            return self._missing(name, default, expected)
        entries = [entry.strip() for entry in raw.split(",")]
        if not all(entries) or any(set(entry) & set(" \t\n;") for entry in entries):
            raise self._refuse(name, raw, expected)
        return entries

    def url(self, name: str, schemes: Sequence[str], default: Any = REQUIRED) -> str:
        """Return an address whose scheme is one of `schemes` and that names a host or a path.

        The value is not repeated in the error beyond its scheme: addresses of services carry passwords.
        """
        expected = "an address that starts with " + " or ".join(f"{scheme}://" for scheme in schemes)
        raw = self._raw(name)
        if raw is None:
            return self._missing(name, default, expected)
        try:
            parts = urlsplit(raw)
            port_is_a_number = parts.port is None or parts.port > 0
        except ValueError:
            raise self._refuse(name, "an address with a broken host or port", expected, quote=False) from None
        if parts.scheme not in schemes or "://" not in raw or not port_is_a_number or not self._names_something(parts):
            shown = f"an address that starts with {parts.scheme}:" if parts.scheme else "something without a scheme"
            raise self._refuse(name, shown, expected, quote=False)
        return raw

    @staticmethod
    def _names_something(parts: SplitResult) -> bool:
        return bool(parts.hostname) or len(parts.path) > 1

    def _raw(self, name: str) -> str | None:
        value = self._values.get(name, "").strip()
        return value or None

    @staticmethod
    def _missing(name: str, default: Any, expected: str) -> Any:
        if default is REQUIRED:
            raise BadEnvironment(f"the environment variable {name} is not set; expected {expected}.")
        return default

    @staticmethod
    def _refuse(name: str, value: str, expected: str, *, quote: bool = True) -> BadEnvironment:
        shown = f'"{value}"' if quote else value
        return BadEnvironment(f"the environment variable {name} is {shown}; expected {expected}.")
