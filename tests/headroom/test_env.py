"""Environment variables are read strictly."""

import pytest

from headroom.env import BadEnvironment, Env

LIST = "names with commas between them, such as a.example,b.example"


def read(value: str):
    """Return a reader of X=value by kind."""
    env = Env({"X": value})
    return {
        "flag": lambda: env.flag("X"),
        "integer": lambda: env.integer("X", low=1, high=65535),
        "choice": lambda: env.choice("X", ("local", "production")),
        "names": lambda: env.names("X"),
        "url": lambda: env.url("X", ("redis", "unix")),
        "secret": lambda: env.text("X", secret=True, least=10),
        "text": lambda: env.text("X"),
    }


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("flag", "1", True),
        ("flag", "YES", True),
        ("flag", "off", False),
        ("flag", " false ", False),
        ("integer", "8000", 8000),
        ("integer", "0065", 65),
        ("choice", "local", "local"),
        ("names", "a.example", ["a.example"]),
        ("names", "a.example, b.example", ["a.example", "b.example"]),
        ("url", "redis://127.0.0.1:6379/0", "redis://127.0.0.1:6379/0"),
        ("url", "unix:///run/redis.sock?db=1", "unix:///run/redis.sock?db=1"),
        ("secret", "0123456789", "0123456789"),
        ("text", "  padded  ", "padded"),
    ],
)
def test_reads(kind: str, value: str, expected: object) -> None:
    assert read(value)[kind]() == expected


@pytest.mark.parametrize(
    ("kind", "value", "sentence"),
    [
        ("flag", "maybe", 'X is "maybe"; expected one of 1, true, yes, on, 0, false, no, off.'),
        ("flag", "2", 'X is "2"; expected one of 1, true'),
        ("integer", "eight", 'X is "eight"; expected a whole number from 1 to 65535.'),
        ("integer", "80.0", 'X is "80.0"; expected a whole number'),
        ("integer", "8_000", 'X is "8_000"; expected a whole number'),
        ("integer", "٨٠٠٠", "expected a whole number"),
        ("integer", "0", 'X is "0"; expected a whole number from 1'),
        ("integer", "65536", 'X is "65536"; expected'),
        ("integer", "-1", 'X is "-1"; expected'),
        ("integer", "9" * 5000, "expected a whole number"),
        ("choice", "Local", 'X is "Local"; expected one of local, production.'),
        ("names", "a,,b", f'X is "a,,b"; expected {LIST}.'),
        ("names", "a b", 'X is "a b"; expected names'),
        ("url", "127.0.0.1:6379", "expected an address that starts with redis:// or unix://."),
        ("url", "http://127.0.0.1", "X is an address that starts with http:; expected"),
        ("url", "redis://", "expected an address that starts with redis://"),
        ("url", "redis:relative", "expected an address"),
        ("url", "redis://host:port/0", "X is an address with a broken host or port; expected"),
        ("url", "redis://[::1/0", "X is an address with a broken host or port; expected"),
        ("secret", "short", "X is a shorter text; expected at least 10 characters."),
    ],
)
def test_refuses(kind: str, value: str, sentence: str) -> None:
    with pytest.raises(BadEnvironment) as refused:
        read(value)[kind]()
    assert sentence in str(refused.value)
    assert str(refused.value).startswith("headroom cannot start: the environment variable X is ")


@pytest.mark.parametrize("kind", ["flag", "integer", "choice", "names", "url", "secret", "text"])
@pytest.mark.parametrize("value", ["", "   "])
def test_empty_counts_as_not_set(kind: str, value: str) -> None:
    with pytest.raises(BadEnvironment, match="X is not set; expected"):
        read(value)[kind]()


def test_a_default_is_returned_as_it_is() -> None:
    env = Env({})
    assert env.integer("X", None, low=1, high=2) is None
    assert env.names("X", ["a"]) == ["a"]


@pytest.mark.parametrize("value", ["redis://user:hunter2@host:port/0", "http://user:hunter2@host/"])
def test_an_error_does_not_repeat_a_password(value: str) -> None:
    with pytest.raises(BadEnvironment) as refused:
        read(value)["url"]()
    assert "hunter2" not in str(refused.value)


def test_it_ends_the_process_with_one_sentence() -> None:
    assert issubclass(BadEnvironment, SystemExit)
